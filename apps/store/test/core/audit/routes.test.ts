import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const read = (store: TestStore, query = '') => bodyOf(store.admin('GET', `/api/admin/audit${query}`));

/** A store in which two publishers were created and one of them published two apps, a minute apart. */
async function storeWithHistory() {
  const store = await openTestStore();
  await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' });
  store.advance(60_000);
  const token = await store.publisherToken('example');
  store.advance(60_000);
  await store.publish(token);
  await store.publish(token, { id: 'com.example.two' });
  return store;
}

const actionsOf = ({ entries }: { entries: { action: string; publisher: string }[] }) =>
  entries.map(({ action, publisher }) => `${action} ${publisher}`);

describe('the audit log', () => {
  it.each([
    ['?actor=automation', ['token.issue example', 'publisher.create example', 'publisher.create other']],
    ['?actor=publisher:example', ['version.submit example', 'version.submit example']],
    ['?actor=nobody', []],
    ['?action=token.issue', ['token.issue example']],
    ['?appId=com.example.two', ['version.submit example']],
    ['?appId=com.example', []],
    ['?publisher=other', ['publisher.create other']],
    ['?publisher=example&action=publisher.create', ['publisher.create example']],
    ['?from=2026-03-01T12:01:00Z&action=publisher.create', ['publisher.create example']],
    ['?to=2026-03-01T12:01:00Z', ['publisher.create other']],
    [
      '?from=2026-03-01T12:01:00.000Z&to=2026-03-01T12:01:00.001Z',
      ['token.issue example', 'publisher.create example'],
    ],
    ['?from=2026-03-01T12:02:00.0Z', ['version.submit example', 'version.submit example']],
    ["?actor=' or 1=1 --", []],
    ['?actor=%25', []],
    ['?appId=%00', []],
  ])('is filtered by %s, newest first', async (query, actions) => {
    const store = await storeWithHistory();
    expect(actionsOf(await read(store, query))).toEqual(actions);
  });

  it(
    'has pages that neither repeat nor miss an entry, also if entries are added between pages',
    BOTH_DATABASES,
    async () => {
      const store = await openTestStore();
      const make = (n: number) =>
        store.admin('POST', '/api/admin/publishers', { slug: `p${n}`, name: `P ${n}` });
      await Promise.all(Array.from({ length: 25 }, (_, n) => make(n)));
      const seen: number[] = [];
      let cursor = '';
      for (let page = 0; page < 3; page += 1) {
        const { entries, nextCursor } = await read(store, `?limit=10${cursor}`);
        seen.push(...entries.map(({ id }: { id: number }) => id));
        expect(nextCursor === null).toBe(page === 2);
        cursor = `&cursor=${nextCursor}`;
        await make(100 + page);
      }
      expect(seen).toHaveLength(25);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
      expect((await read(store)).entries).toHaveLength(28);
      expect((await read(store, '?limit=28')).nextCursor).toBeNull();
    },
  );

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'action=version.delete',
    'publisher=No+Slug',
    'from=yesterday',
    'from=2026-02-30T00:00:00Z',
    'to=2026-03-01',
    `actor=${'x'.repeat(201)}`,
    'cursor=x',
    'direction=up',
    `cursor=${Buffer.from('[-1]').toString('base64url')}`,
    `cursor=${Buffer.from('[1e300]').toString('base64url')}`,
    `cursor=${Buffer.from('["1"]').toString('base64url')}`,
  ])('refuses %s', async (query) => {
    const store = await openTestStore();
    expect(await read(store, `?${query}`)).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('has the current names of the users who acted and of those who were affected', async () => {
    const store = await openTestStore();
    await store.signedIn('anna');
    const ben = await store.signedIn('ben');
    await store.admin('PATCH', '/api/admin/people/anna', { role: 'moderator' });
    await store.call('PATCH', '/api/people/me', { session: ben, json: { name: 'Benjamin' } });
    const { names } = await read(store);
    expect(names).toEqual({ 'person:anna': 'anna', 'person:ben': 'Benjamin' });
    expect((await read(store, '?actor=automation')).names).toEqual({ 'person:anna': 'anna' });
  });

  it(
    'starts with the oldest entry with direction=asc, whose cursor is refused with direction=desc',
    BOTH_DATABASES,
    async () => {
      const store = await storeWithHistory();
      const newest = (await read(store)).entries.map(({ id }: { id: number }) => id);
      const first = await read(store, '?direction=asc&limit=2');
      const rest = await read(store, `?direction=asc&cursor=${first.nextCursor}`);
      const oldest = [...first.entries, ...rest.entries].map(({ id }) => id);
      expect(oldest).toEqual(newest.toReversed());
      const other = await read(store, `?direction=desc&cursor=${first.nextCursor}`);
      expect(other).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
    },
  );

  it('has the current names of publishers and apps, also of those that acted', async () => {
    const store = await storeWithHistory();
    const token = await store.publisherToken('example');
    await store.publish(token, { id: 'com.example.two', version: '2.0.0', name: 'Renamed' });
    expect((await read(store)).names).toEqual({
      'publisher:example': 'The example',
      'publisher:other': 'Other',
      'app:com.example.notes': 'Notes',
      'app:com.example.two': 'Renamed',
    });
    expect((await read(store, '?actor=publisher:example&limit=1')).names).toMatchObject({
      'publisher:example': 'The example',
    });
  });

  it('is only for administrators, and not cached', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const ask = (bearer: string | null) => store.call('GET', '/api/admin/audit', { token: bearer });
    expect((await ask(null)).status).toBe(401);
    expect((await ask(token)).status).toBe(403);
    const answer = await store.admin('GET', '/api/admin/audit');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('has no entry for a refused caller, which is in the log instead', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const before = await read(store);
    for (const bearer of [null, 'not-a-token', token]) {
      const answer = await store.call('GET', '/api/moderation/queue', { token: bearer });
      const id = answer.headers.get('x-request-id') ?? '';
      const line = store.lines.find((text) => text.includes(id) && text.includes('was refused'));
      expect(JSON.parse(line ?? '')).toMatchObject({
        route: '/api/moderation/queue',
        code: bearer === token ? 'forbidden' : 'unauthorized',
        ...(bearer === token && { actor: 'publisher:example' }),
      });
      expect(line).not.toContain(bearer ?? ADMIN_TOKEN);
    }
    expect(await read(store)).toEqual(before);
  });
});

it('is filtered by the beginning of the name of a user', async () => {
  const { stores, signedIn, admin } = await openTestStore();
  await signedIn('zoe');
  await stores.people.change('zoe', { name: 'Zoe Quill' });
  const actor = { name: 'person:zoe', from: { address: null, requestId: 'r' } };
  await stores.audit.add(actor, '2026-03-01T12:00:00.000Z', { action: 'session.end' });
  const { entries } = await bodyOf(admin('GET', '/api/admin/audit?actor=zoe'));
  expect(entries.map((entry: { actor: string }) => entry.actor)).toEqual(['person:zoe']);
});
