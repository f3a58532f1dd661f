import { describe, expect, it } from 'vitest';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { openDatabase, tamper } from '../../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';
import { addVersion, VERSION } from '../../support/version-row.ts';

const PUBLISHED = { total: 1 };

/** A closed store with one version, whose row has the values that a process leaves when it is killed. */
async function diedWith(columns: string): Promise<TestStore> {
  const store = await openTestStore();
  await store.publish(await store.publisherToken());
  await store.close();
  await tamper(store.folder, `update versions set ${columns}`);
  return store;
}

const catalog = (store: TestStore) => bodyOf(store.call('GET', '/api/apps/catalog'));

describe('a store that restarts', () => {
  it.each(['submitted', 'checking'])('finishes the check of a version in state %s', async (state) => {
    const { folder } = await diedWith(`state = '${state}', reasons_json = '[]'`);
    const second = await openTestStore({ folder });
    expect(await bodyOf(second.admin('GET', '/api/moderation/queue'))).toMatchObject({
      entries: [{ version: '1.0.0', reasons: ['first-version', 'publisher-unverified'] }],
    });
  });

  it('signs a version in state approved', async () => {
    const { folder } = await diedWith("state = 'approved'");
    expect(await catalog(await openTestStore({ folder }))).toMatchObject(PUBLISHED);
  });

  it('does not process a version that another process has leased, until the lease expires', async () => {
    const { folder } = await diedWith(
      "state = 'approved', lease_by = 'another', lease_until = '2026-03-01T12:00:05.000Z'",
    );
    const second = await openTestStore({ folder });
    expect(await catalog(second)).toMatchObject({ total: 0 });
    await second.close();
    await tamper(folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
    expect(await catalog(await openTestStore({ folder }))).toMatchObject(PUBLISHED);
  });

  it('lets one of many processes lease a version, and another one after the lease expired', async () => {
    const db = await openDatabase();
    await addVersion(db, 'approved');
    const { versions } = createStores(db);
    const claimAt = (seconds: number) => (_: unknown, n: number) => {
      const time = (s: number) => new Date(s * 1000).toISOString();
      const lease = { by: `process ${n}`, until: time(seconds + 10) };
      return versions.claim(VERSION, 'approved', lease, time(seconds));
    };
    const winners = async (seconds: number) =>
      (await Promise.all(Array.from({ length: 10 }, claimAt(seconds)))).filter(Boolean).length;
    expect(await winners(0)).toBe(1);
    expect(await versions.abandoned('approved', new Date(9_999).toISOString())).toEqual([]);
    expect(await winners(9)).toBe(0);
    expect(await versions.abandoned('approved', new Date(10_000).toISOString())).toEqual([VERSION]);
    expect(await winners(10)).toBe(1);
    expect(
      await versions.claim(VERSION, 'checking', { by: 'x', until: 'y' }, '2999-01-01T00:00:00.000Z'),
    ).toBe(false);
  });
});
