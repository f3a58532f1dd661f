import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createReportStore } from '../../../src/extensions/reports/report-store.ts';
import { createTraces } from '../../../src/extensions/reports/traces.ts';
import { openTestStore } from '../../support/test-store.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const DAY = 24 * 3_600_000;
const DAYS = { addresses: null, sessions: 60, reports: 20, mails: 3 };
const REF = { appId: 'com.example.notes', version: '1.0.0' };

/** A store with a decided report of Anna, and an open one of Ben. */
async function opened() {
  const store = await openTestStore();
  await store.publish(await store.publisherToken());
  for (const name of ['anna', 'ben']) await store.signedIn(name);
  const { stores } = store;
  const reports = createReportStore(stores.db);
  const put = (personId: string) =>
    reports.put({
      ...REF,
      ...{ id: personId, publisher: 'acme', personId, category: 'spam', evidence: 'Why.' },
      ...{ at: NOW.toISOString(), domain: 'd', network: 'n', weight: 500 },
    });
  await put('anna');
  await reports.decide(REF, { outcome: 'upheld', note: '', by: 'rita', at: NOW.toISOString() });
  await put('ben');
  const ids = async () => (await stores.db.selectFrom('reports').select('id').execute()).map(({ id }) => id);
  return { stores, reports, ids };
}

describe('reports', BOTH_DATABASES, () => {
  it('that were decided are deleted after the time of the policy, and never without one', async () => {
    const { stores, ids } = await opened();
    const later = (days: number) => new Date(NOW.getTime() + days * DAY);
    await createTraces({ db: stores.db, retentionDays: { ...DAYS, reports: null } }).purgeExpired(later(999));
    const { purgeExpired } = createTraces({ db: stores.db, retentionDays: DAYS });
    await purgeExpired(new Date(later(20).getTime() - 1));
    expect((await ids()).sort()).toEqual(['anna', 'ben']);
    await purgeExpired(later(20));
    expect(await ids()).toEqual(['ben']);
  });

  it('of a user who leaves stay without what they wrote', async () => {
    const { stores, reports } = await opened();
    const traces = createTraces({ db: stores.db, retentionDays: DAYS });
    expect(await traces.recordsOf('ben')).toMatchObject({ reports: [{ evidence: 'Why.', state: 'open' }] });
    await traces.personLeaves(stores, 'ben');
    expect(await reports.of('ben')).toMatchObject([{ evidence: '' }]);
    expect(await traces.usedApp(stores, REF.appId)).toBe(true);
    expect(await traces.usedApp(stores, 'com.example.other')).toBe(false);
  });
});
