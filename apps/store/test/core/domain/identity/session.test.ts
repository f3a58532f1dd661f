import { describe, expect, it } from 'vitest';
import { purgeExpired } from '../../../../src/core/operations/purge-expired.ts';
import { openTestStore, type TestSession, type TestStore } from '../../../support/test-store.ts';

const DAY = 24 * 3_600_000;

const statusOf = async (store: TestStore, session: TestSession) =>
  (await store.call('GET', '/api/people/me', { session })).status;

describe('a session', () => {
  it('ends so many hours after the sign-in as the operator sets, also one from before', async () => {
    const store = await openTestStore({ environment: { SVC_SESSION_HOURS: '8' } });
    const session = await store.signedIn('anna');
    for (const [minutes, status] of [
      [7 * 60, 200],
      [59, 200],
      [1, 401],
    ] as const) {
      store.advance(minutes * 60_000);
      expect(await statusOf(store, session)).toBe(status);
    }
  });

  it('of a moderator or an administrator ends after the hours of roles, also where the role came later', async () => {
    const store = await openTestStore({ environment: { SVC_ROLE_SESSION_HOURS: '24' } });
    const [anna, bert] = [await store.signedIn('anna', { role: 'moderator' }), await store.signedIn('bert')];
    store.advance(DAY - 1);
    expect([await statusOf(store, anna), await statusOf(store, bert)]).toEqual([200, 200]);
    store.advance(1);
    expect([await statusOf(store, anna), await statusOf(store, bert)]).toEqual([401, 200]);
    await store.stores.people.change('bert', { role: 'moderator' });
    expect(await statusOf(store, bert)).toBe(401);
  });

  it('expires after 14 days without use', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    store.advance(14 * DAY - 1);
    expect(await statusOf(store, session)).toBe(200);
    store.advance(14 * DAY);
    expect(await statusOf(store, session)).toBe(401);
  });

  it('expires after 90 days, also when it is used every day', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    for (let day = 0; day < 89; day += 1) {
      store.advance(DAY);
      expect(await statusOf(store, session)).toBe(200);
    }
    store.advance(DAY);
    expect(await statusOf(store, session)).toBe(401);
  });

  it('updates its last use at most every five minutes', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const seen = async () =>
      (await store.stores.sessions.of('anna', store.clock().toISOString()))[0]?.lastSeenAt;
    store.advance(5 * 60_000 - 1);
    await statusOf(store, session);
    expect(await seen()).toBe('2026-03-01T12:00:00.000Z');
    store.advance(1);
    await statusOf(store, session);
    expect(await seen()).toBe('2026-03-01T12:05:00.000Z');
  });

  it('is purged once expired, and no other session is', async () => {
    const store = await openTestStore();
    await store.signedIn('anna');
    store.advance(13 * DAY);
    const session = await store.signedIn('ben');
    store.advance(2 * DAY);
    // Expired sessions are kept for sixty days, so that a clock that is ahead does not purge a valid one.
    const retentionDays = { addresses: null, sessions: 60, reports: null, mails: 3 };
    const clock = () => new Date('2026-05-14T12:00:00.000Z');
    await purgeExpired({ ...store.stores, hooks: store.hooks, clock, retentionDays });
    const before = '2026-03-15T11:59:59.999Z';
    expect(await store.stores.sessions.of('anna', before)).toEqual([]);
    expect(await store.stores.sessions.of('ben', before)).toHaveLength(1);
    expect(await statusOf(store, session)).toBe(200);
  });

  it('is not found by an incomplete, extended or missing secret', async () => {
    const store = await openTestStore();
    const { cookie } = await store.signedIn('anna');
    for (const value of ['__Host-svc-session=', cookie.slice(0, -1), `${cookie}A`, `${cookie}%00`]) {
      expect((await store.call('GET', '/api/people/me', { headers: { cookie: value } })).status).toBe(401);
    }
  });
});
