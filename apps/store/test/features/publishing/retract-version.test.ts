import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const WITHDRAW = '/api/apps/com.example.notes/versions/1.0.0/withdraw';

async function waiting() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  return { store, token };
}

describe('retracting a version', () => {
  it('removes it from the queue, and its number remains used', async () => {
    const { store, token } = await waiting();
    expect(await bodyOf(store.call('POST', WITHDRAW, { token }))).toMatchObject({
      httpStatus: 200,
      status: 'rejected',
      notes: 'withdrawn',
      retracted: true,
    });
    expect(await bodyOf(store.admin('GET', '/api/moderation/queue'))).toMatchObject({ total: 0 });
    expect(await bodyOf(store.publish(token))).toMatchObject({ code: 'version_not_greater' });
  });

  it('sets retracted, also when a moderator rejects with the same note', async () => {
    const { store, token } = await waiting();
    await store.decide('reject', '1.0.0', { note: 'withdrawn' });
    const status = (version: string) =>
      bodyOf(store.call('GET', `/api/apps/com.example.notes/versions/${version}/status`));
    expect(await status('1.0.0')).toMatchObject({ status: 'rejected', notes: 'withdrawn', retracted: false });
    await store.publish(token, { version: '1.1.0' });
    await store.call('POST', WITHDRAW.replace('1.0.0', '1.1.0'), { token });
    expect(await status('1.1.0')).toMatchObject({ status: 'rejected', notes: 'withdrawn', retracted: true });
  });

  it('and approving it at once: one of them wins', async () => {
    const { store, token } = await waiting();
    const answers = await Promise.all([
      store.call('POST', WITHDRAW, { token }),
      store.decide('approve', '1.0.0'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is only possible for its publisher, and in review', async () => {
    const { store, token } = await waiting();
    const other = await store.publisherToken('other');
    expect(await bodyOf(store.call('POST', WITHDRAW, { token: other }))).toMatchObject({
      code: 'not_a_member',
    });
    await store.decide('approve', '1.0.0');
    expect(await bodyOf(store.call('POST', WITHDRAW, { token }))).toMatchObject({
      httpStatus: 409,
      code: 'already_handled',
      status: 'published',
    });
    const unknown = WITHDRAW.replace('1.0.0', '9.0.0');
    expect((await store.call('POST', unknown, { token })).status).toBe(404);
  });
});
