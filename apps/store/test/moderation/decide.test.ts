import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../support/test-store.ts';

async function waiting() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  return { store, token };
}

describe('a decision', () => {
  it('counts once: the second moderator learns how the version stands', async () => {
    const { store } = await waiting();
    const decisions = [
      store.decide('approve', '1.0.0'),
      store.decide('reject', '1.0.0', { note: 'No.' }),
      store.decide('approve', '1.0.0'),
      store.decide('reject', '1.0.0', { note: 'No.' }),
    ];
    const statuses = (await Promise.all(decisions)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    const late = await bodyOf(store.decide('approve', '1.0.0'));
    expect(late).toMatchObject({
      code: 'already_handled',
      status: expect.stringMatching(/published|rejected/),
    });
  });

  it('to reject needs a note, which the developer reads', async () => {
    const { store } = await waiting();
    expect(await bodyOf(store.decide('reject', '1.0.0', {}))).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
    });
    expect(await bodyOf(store.decide('reject', '1.0.0', { note: 'Explain the domain.' }))).toMatchObject({
      status: 'rejected',
    });
    expect(
      await bodyOf(store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/status')),
    ).toMatchObject({
      status: 'rejected',
      notes: 'Explain the domain.',
    });
  });

  it('is not for developers', async () => {
    const { store, token } = await waiting();
    const path = '/api/moderation/apps/com.example.notes/versions/1.0.0/approve';
    expect(await bodyOf(store.call('POST', path, { token }))).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    expect(await bodyOf(store.call('POST', path))).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('needs a version', async () => {
    const { store } = await waiting();
    expect(await bodyOf(store.decide('approve', '9.9.9'))).toMatchObject({
      httpStatus: 404,
      code: 'not_found',
    });
  });
});
