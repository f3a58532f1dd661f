import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { openPublishedStore } from '../../support/published-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const WITHDRAW = '/api/apps/com.example.notes/versions/1.0.0/withdraw';

async function waiting() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  return { store, token };
}

/** A token of a member of the publisher, for another app only. */
async function boundToken(store: TestStore): Promise<string> {
  const session = await store.signedIn('member', { membership: { example: 'owner' } });
  const json = { name: 'CI', scopes: ['publish:new', 'publish:update', 'yank'], appId: 'com.example.other' };
  return (await bodyOf(store.call('POST', '/api/people/me/tokens', { session, json }))).token;
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
    const scopes = { publisher: 'example', scopes: ['status', 'yank'] };
    const narrow = await bodyOf(store.admin('POST', '/api/admin/tokens', scopes));
    expect(await bodyOf(store.call('POST', WITHDRAW, { token: narrow.token }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await bodyOf(store.call('POST', WITHDRAW, { token: await boundToken(store) }))).toMatchObject({
      code: 'forbidden',
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

it.each(['publish:new', 'publish:update'])('a version is retracted with a token for %s', async (scope) => {
  const { store } = await waiting();
  const made = await bodyOf(
    store.admin('POST', '/api/admin/tokens', { publisher: 'example', scopes: [scope] }),
  );
  expect((await store.call('POST', WITHDRAW, { token: made.token })).status).toBe(200);
});

it('the audit log has each step of a version, its actor, and why it was yanked', async () => {
  const { store, token } = await openPublishedStore();
  await store.call('POST', yank, { token, json: { reason: 'It lost notes.' } });
  await store.publish(token, { version: '1.1.0', name: 'Letters' });
  await store.call('POST', WITHDRAW.replace('1.0.0', '1.1.0'), { token });
  const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?appId=com.example.notes'));
  const steps = entries.map((one: Record<string, unknown>) => [one.action, one.version, one.actor]).reverse();
  expect(steps).toEqual([
    ['version.submit', '1.0.0', 'publisher:example'],
    ['version.approve', '1.0.0', 'automation'],
    ['version.publish', '1.0.0', 'signer'],
    ['version.yank', '1.0.0', 'publisher:example'],
    ['version.submit', '1.1.0', 'publisher:example'],
    ['version.withdraw', '1.1.0', 'publisher:example'],
  ]);
  expect(entries.find((one: { action: string }) => one.action === 'version.yank')).toMatchObject({
    publisher: 'example',
    detail: { reason: 'It lost notes.' },
  });
});

const yank = '/api/apps/com.example.notes/versions/1.0.0/yank';

describe('a yanked version', () => {
  it('is removed from the catalogue, and its files answer 410', async () => {
    const { store, token } = await openPublishedStore();
    const answer = await bodyOf(store.call('POST', yank, { token, json: { reason: 'It lost notes.' } }));
    expect(answer).toMatchObject({ httpStatus: 200, status: 'yanked', notes: 'It lost notes.' });
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({ total: 0 });
    expect((await store.call('GET', '/api/apps/com.example.notes')).status).toBe(410);
    for (const part of ['bundle', 'files/assets/icon.png']) {
      const path = `/api/apps/com.example.notes/versions/1.0.0/${part}`;
      expect(await bodyOf(store.call('GET', path))).toMatchObject({ httpStatus: 410, code: 'yanked' });
    }
  });

  it('is told to its members by mail when the store yanked it, not when one of them did', async () => {
    const { store, token } = await openPublishedStore();
    await store.publish(token, { version: '1.1.0' });
    await store.decide('approve', '1.1.0');
    await store.signedIn('owner', { membership: { example: 'owner' } });
    const told = async () => {
      const mails = await store.stores.mails.due(store.clock().toISOString(), 100);
      return mails.flatMap((mail) => (mail.kind === 'version-yanked' ? [mail] : []));
    };
    await store.call('POST', yank, { token, json: { reason: 'Ours.' } });
    expect(await told()).toEqual([]);
    await store.admin('POST', yank.replace('1.0.0', '1.1.0'), { reason: 'It leaks.' });
    expect(await told()).toMatchObject([
      { recipient: 'owner@example.com', detail: { version: '1.1.0', reason: 'It leaks.' } },
    ]);
  });

  it('can be yanked by a moderator, and restored only by an administrator', async () => {
    const store = await openModeratedStore();
    await store.publish(await store.publisherToken());
    await store.decide('approve', '1.0.0');
    const reason = { reason: 'It leaks.' };
    expect(await bodyOf(store.as('anna', 'POST', yank, reason))).toMatchObject({ status: 'yanked' });
    const unyank = yank.replace('/apps/', '/admin/apps/').replace('yank', 'unyank');
    expect(await bodyOf(store.as('anna', 'POST', unyank, reason))).toMatchObject({ code: 'forbidden' });
    expect(await bodyOf(store.as('admin', 'POST', unyank, reason))).toMatchObject({ status: 'published' });
  });

  it('is not yanked by one moderator above the installs of the policy, but by its publisher and automation', async () => {
    const store = await openModeratedStore({ policy: { emergencyInstalls: 10 } });
    const token = await store.publisherToken();
    for (const version of ['1.0.0', '1.1.0']) {
      await store.publish(token, { version });
      await store.decide('approve', version);
    }
    await store.stores.appStats.addInstalls(new Map([['com.example.notes', 11]]));
    const json = { reason: 'It leaks.' };
    expect(await bodyOf(store.as('anna', 'POST', yank, json))).toMatchObject({ code: 'forbidden' });
    expect((await store.admin('POST', yank.replace('1.0.0', '1.1.0'), json)).status).toBe(200);
    expect((await store.call('POST', yank, { token, json })).status).toBe(200);
  });

  it('is one of thirty an hour of a moderator; the publisher and automation have no limit', async () => {
    const store = await openModeratedStore();
    const token = await store.publisherToken();
    const session = await store.signedIn('carl', { membership: { example: 'owner' } });
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0']) {
      await store.publish(token, { version });
      await store.decide('approve', version);
    }
    const at = (version: string) => yank.replace('1.0.0', version);
    const json = { reason: 'It leaks.' };
    const first = await store.as('anna', 'POST', at('1.0.0'), json);
    expect(first.headers.get('ratelimit')).toContain('r=29');
    const now = store.clock().toISOString();
    for (let n = 1; n < 30; n += 1) await store.stores.rateLimits.add('yank person:anna', now, '');
    expect(await bodyOf(store.as('anna', 'POST', at('1.1.0'), json))).toMatchObject({ code: 'rate_limited' });
    expect((await store.as('ben', 'POST', at('1.1.0'), json)).status).toBe(200);
    for (const unlimited of [
      await store.call('POST', at('1.2.0'), { token, json }),
      await store.admin('POST', at('1.3.0'), json),
      await store.call('POST', at('1.4.0'), { session, json }),
    ])
      expect([unlimited.status, unlimited.headers.get('ratelimit')]).toEqual([200, null]);
  });

  it('is replaced in the catalogue by the latest other version', async () => {
    const { store, token } = await openPublishedStore();
    await store.publish(token, { version: '1.1.0' });
    await store.decide('approve', '1.1.0');
    await store.call('POST', yank.replace('1.0.0', '1.1.0'), { token, json: { reason: 'Broken.' } });
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({
      apps: [{ version: '1.0.0' }],
    });
  });

  it('is yanked once, also with concurrent requests', async () => {
    const { store, token } = await openPublishedStore();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => store.call('POST', yank, { token, json: { reason: 'Broken.' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });
});

describe('yanking a version is refused', () => {
  it('to another publisher, and to a token without the scope', async () => {
    const { store } = await openPublishedStore();
    const other = await store.publisherToken('other');
    expect(await bodyOf(store.call('POST', yank, { token: other, json: { reason: 'x' } }))).toMatchObject({
      httpStatus: 403,
      code: 'not_a_member',
    });
    const narrow = await bodyOf(
      store.admin('POST', '/api/admin/tokens', { publisher: 'example', scopes: ['status'] }),
    );
    expect(
      await bodyOf(store.call('POST', yank, { token: narrow.token, json: { reason: 'x' } })),
    ).toMatchObject({
      code: 'forbidden',
    });
    const bound = { token: await boundToken(store), json: { reason: 'x' } };
    expect(await bodyOf(store.call('POST', yank, bound))).toMatchObject({ code: 'forbidden' });
  });

  it('without a reason, in review, and for an unknown version', async () => {
    const { store, token } = await openPublishedStore();
    for (const json of [{}, { reason: '' }, { reason: '   ' }]) {
      expect(await bodyOf(store.call('POST', yank, { token, json }))).toMatchObject({
        httpStatus: 400,
        code: 'invalid_request',
        issues: [{ path: '/reason' }],
      });
    }
    await store.publish(token, { version: '2.0.0' });
    const waiting = await bodyOf(
      store.call('POST', yank.replace('1.0.0', '2.0.0'), { token, json: { reason: 'x' } }),
    );
    expect(waiting).toMatchObject({ httpStatus: 409, code: 'already_handled', status: 'in_review' });
    expect(
      (await store.call('POST', yank.replace('1.0.0', '3.0.0'), { token, json: { reason: 'x' } })).status,
    ).toBe(404);
  });
});
