import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const HOUR_MS = 3_600_000;

const healthOf = (store: TestStore) => bodyOf(store.admin('GET', '/api/admin/health'));

describe('the health report', () => {
  it('has probes, review queue, versions, mails, revocations and jobs', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const health = await healthOf(store);
    expect(health).toMatchObject({
      httpStatus: 200,
      at: store.clock().toISOString(),
      probes: [
        { name: 'database', ok: true },
        { name: 'upload folder', ok: true },
        { name: 'bundle storage', ok: true },
      ],
      queue: {
        ...{ waiting: 1, overdue: 0, unassigned: 1, changesRequested: 0, locked: 0 },
        oldestAt: store.clock().toISOString(),
      },
      versions: { submitted: 0, checking: 0, approved: 0, oldestAt: null, abandoned: 0 },
      mails: { waiting: 0, tried: 0, oldestAt: null, carried: false },
      revocations: { entries: 0, signedAt: store.clock().toISOString(), stale: false },
    });
    expect(health.jobs.map(({ name }: { name: string }) => name)).toContain('Sweeping');
  });

  it('counts overdue reviews, and marks a stale revocation list', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    store.advance(3 * 24 * HOUR_MS);
    // At exactly its due time a review is not overdue.
    expect((await healthOf(store)).queue).toMatchObject({ waiting: 1, overdue: 0 });
    store.advance(1);
    const { queue, revocations } = await healthOf(store);
    expect([queue, revocations.stale]).toMatchObject([{ waiting: 1, overdue: 1 }, true]);
  });

  it('counts locked and unassigned reviews, and those with requested changes', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    for (const id of ['com.example.a', 'com.example.b', 'com.example.c']) await store.publish(token, { id });
    const session = await store.signedIn('anna', { role: 'moderator' });
    const at = (id: string) => `/api/moderation/apps/com.example.${id}/versions/1.0.0`;
    await store.call('POST', `${at('a')}/lock`, { session });
    await store.call('PUT', `${at('b')}/assignment`, { session, json: { to: 'person:anna' } });
    const json = { text: 'Why?', requestChanges: true };
    await store.call('POST', `${at('c')}/messages`, { session, json });
    const counts = { waiting: 3, unassigned: 2, changesRequested: 1 };
    expect((await healthOf(store)).queue).toMatchObject({ ...counts, locked: 1 });
    store.advance(HOUR_MS);
    expect((await healthOf(store)).queue).toMatchObject({ ...counts, locked: 0 });
  });

  it('counts versions that are stuck in a transitional status', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const ref = { appId: 'com.example.notes', version: '1.0.0' };
    const at = store.clock().toISOString();
    await store.stores.versions.move(ref, { from: 'in_review', to: 'approved' }, {}, { by: 'person:x', at });
    expect((await healthOf(store)).versions).toEqual({
      submitted: 0,
      checking: 0,
      approved: 1,
      oldestAt: at,
      abandoned: 1,
    });
  });

  it('counts waiting mails and those with failed tries, without their recipients', async () => {
    const store = await openTestStore();
    const createdAt = store.clock().toISOString();
    const mail = {
      kind: 'confirm-email',
      detail: { personId: 'anna' },
      recipient: 'anna@example.com',
    } as const;
    await store.stores.mails.add({
      ...mail,
      id: '1',
      createdAt,
      nextTryAt: '2027-01-01T00:00:00.000Z',
      tries: 2,
    });
    await store.stores.mails.add({
      ...mail,
      id: '2',
      createdAt,
      nextTryAt: '2027-01-01T00:00:00.000Z',
      tries: 0,
    });
    const health = await bodyOf(store.admin('GET', '/api/admin/health'));
    expect(health.mails).toEqual({ waiting: 2, tried: 1, oldestAt: createdAt, carried: false });
    expect(JSON.stringify(health)).not.toContain('anna');
  });
});
