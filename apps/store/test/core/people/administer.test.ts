import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const change = (store: TestStore, id: string, json: unknown, session?: { cookie: string; csrf: string }) =>
  session
    ? store.call('PATCH', `/api/admin/people/${id}`, { session: { personId: '', ...session }, json })
    : store.admin('PATCH', `/api/admin/people/${id}`, json);

const names = async (store: TestStore, query: string): Promise<string[]> => {
  const { people } = await bodyOf(store.admin('GET', `/api/admin/people?${query}`));
  return people.map(({ id }: { id: string }) => id);
};

describe('administering users', () => {
  it('changes the role of a user immediately, with an audit entry', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const queue = async () => (await store.call('GET', '/api/moderation/queue', { session })).status;
    expect(await queue()).toBe(403);
    expect(await bodyOf(change(store, 'anna', { role: 'moderator' }))).toMatchObject({ role: 'moderator' });
    expect(await queue()).toBe(200);
    await change(store, 'anna', { role: 'person' });
    expect(await queue()).toBe(403);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=person.change'));
    expect(entries[1]).toMatchObject({
      actor: 'automation',
      detail: { person: 'anna', role: 'moderator' },
    });
  });

  it('suspends a user; the ended sessions stay invalid after the suspension', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const me = async () => (await store.call('GET', '/api/people/me', { session })).status;
    expect(await me()).toBe(200);
    expect((await change(store, 'anna', { suspended: true })).status).toBe(200);
    expect(await me()).toBe(401);
    await change(store, 'anna', { suspended: false });
    expect(await me()).toBe(401);
  });

  it('tells the other administrators and the user of each change of a role, and of a suspended administrator', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna', { role: 'administrator' });
    await store.signedIn('zoe', { role: 'administrator' });
    await store.signedIn('ben');
    const told = async () => {
      const mails = await store.stores.mails.due('2099-01-01T00:00:00.000Z', 100);
      for (const { id } of mails) await store.stores.mails.remove(id);
      const about = mails.filter(({ kind }) => kind === 'role-changed' || kind === 'own-role-changed');
      return [...new Set(about.map(({ recipient }) => recipient))];
    };
    await change(store, 'ben', { role: 'moderator' }, anna);
    expect((await told()).toSorted()).toEqual(['ben@example.com', 'zoe@example.com']);
    await change(store, 'ben', { role: 'administrator' }, anna);
    expect((await told()).toSorted()).toEqual(['ben@example.com', 'zoe@example.com']);
    await change(store, 'zoe', { suspended: true, reason: 'x' }, anna);
    expect(await told()).toEqual(['ben@example.com']);
  });

  it('is refused to other roles, also for their own role', async () => {
    const store = await openTestStore();
    for (const role of ['person', 'moderator'] as const) {
      const session = await store.signedIn(role, { role });
      expect((await change(store, role, { role: 'administrator' }, session)).status).toBe(403);
      expect((await store.call('GET', '/api/admin/people', { session })).status).toBe(403);
      expect(await store.stores.people.find(role)).toMatchObject({ role });
    }
  });

  it('requires the CSRF token of the session', async () => {
    const store = await openTestStore();
    await store.signedIn('ben');
    const session = await store.signedIn('anna', { role: 'administrator' });
    const other = await store.signedIn('cleo', { role: 'administrator' });
    const forged = { cookie: session.cookie, csrf: other.csrf };
    expect((await change(store, 'ben', { role: 'administrator' }, forged)).status).toBe(403);
    expect((await change(store, 'ben', { role: 'administrator' }, session)).status).toBe(200);
  });

  it.each([
    { role: 'person' },
    { suspended: true, reason: 'x' },
    { role: 'moderator', suspended: true, reason: 'x' },
  ])('never leaves the store without an administrator: %j', async (json) => {
    const store = await openTestStore();
    const session = await store.signedIn('anna', { role: 'administrator' });
    await store.signedIn('zoe', { role: 'administrator' });
    await change(store, 'zoe', { suspended: true });
    expect(await bodyOf(change(store, 'anna', json, session))).toMatchObject({
      httpStatus: 403,
      message: expect.stringContaining('last administrator'),
    });
    expect((await store.call('GET', '/api/people/me', { session })).status).toBe(200);
  });

  it('keeps one administrator when two demote each other at the same time', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna', { role: 'administrator' });
    const ben = await store.signedIn('ben', { role: 'administrator' });
    const answers = await Promise.all([
      change(store, 'ben', { role: 'person' }, anna),
      change(store, 'anna', { role: 'person' }, ben),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await names(store, 'role=administrator')).toHaveLength(1);
  });

  it('answers 404 for an unknown user, and 400 for an empty or invalid change', async () => {
    const store = await openTestStore();
    expect((await change(store, 'nobody', { suspended: true })).status).toBe(404);
    expect((await change(store, 'nobody', {})).status).toBe(400);
    expect((await change(store, 'nobody', { role: 'king' })).status).toBe(400);
  });
});

describe('the list of users', () => {
  it('is filtered by a part of name, email or id, by role, and by suspension', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    await store.signedIn('anna', { role: 'moderator' });
    await store.signedIn('ben');
    await store.signedIn('Ann_%\\');
    await change(store, 'ben', { suspended: true });
    expect((await names(store, 'q=ANN')).sort()).toEqual(['Ann_%\\', 'anna']);
    expect(await names(store, 'q=EN%40ex')).toEqual(['ben']);
    expect(await names(store, `q=${encodeURIComponent('ann_%\\')}`)).toEqual(['Ann_%\\']);
    expect(await names(store, 'q=ben@')).toEqual(['ben']);
    expect(await names(store, 'q=nna')).toEqual(['anna']);
    const [{ id }] = (await bodyOf(store.admin('GET', '/api/admin/people?q=ben'))).people;
    expect(await names(store, `id=${id}`)).toEqual(['ben']);
    expect(await names(store, `q=${id}`)).toEqual(['ben']);
    expect(await names(store, 'id=none')).toEqual([]);
    expect(await names(store, 'q=%25')).toEqual(['Ann_%\\']);
    expect(await names(store, 'role=moderator')).toEqual(['anna']);
    expect(await names(store, 'suspended=true')).toEqual(['ben']);
    expect(await names(store, 'suspended=false&q=ben')).toEqual([]);
  });

  it.each([
    ['sort=name', ['anna', 'Ben', 'carl']],
    ['sort=name&direction=desc', ['carl', 'Ben', 'anna']],
    ['', ['anna', 'carl', 'Ben']],
    ['direction=asc', ['Ben', 'carl', 'anna']],
  ])('is sorted by %s over all pages', BOTH_DATABASES, async (query, sorted) => {
    const store = await openTestStore();
    for (const id of ['Ben', 'carl', 'anna']) {
      await store.signedIn(id);
      store.advance(1_000);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await bodyOf(store.admin('GET', `/api/admin/people?limit=1&${query}${cursor}`));
      seen.push(...page.people.map(({ name }: { name: string }) => name));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(sorted);
  });

  it('lists each user on one page, even if many joined at the same moment', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    for (let i = 0; i < 5; i += 1) await store.signedIn(`p${i}`);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await bodyOf(store.admin('GET', `/api/admin/people?limit=2${cursor}`));
      seen.push(...page.people.map(({ id }: { id: string }) => id));
      await store.signedIn(`late${seen.length}`);
      store.advance(1);
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen.filter((id) => id.startsWith('p')).sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([
    'cursor=x',
    'cursor=WzFd',
    'limit=0',
    'sort=email',
    'direction=up',
    'role=king',
    'suspended=maybe',
  ])('refuses %s', async (query) => {
    const store = await openTestStore();
    expect(await bodyOf(store.admin('GET', `/api/admin/people?${query}`))).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
    });
  });
});
