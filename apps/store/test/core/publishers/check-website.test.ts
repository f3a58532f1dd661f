import { describe, expect, it } from 'vitest';
import { recheckWebsites } from '../../../src/core/publishers/check-website.ts';
import { fakeSites, openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf } from '../../support/test-store.ts';

const DAY_MS = 24 * 3_600_000;
const RECORD = '_svc-verification.acme.example';

/** A store with a publisher that is verified by its website. */
async function verified() {
  const web = fakeSites();
  const store = await openPublisherStore({ sites: web.sites });
  const proof = (await store.stores.publishers.findWithStatus('acme'))?.status.proof ?? '';
  web.records.set(RECORD, [`svc-verification=${proof}`]);
  await store.as('anna', 'POST', '/verify');
  web.asked.length = 0;
  const verificationNow = async () => (await bodyOf(store.as('anna', 'GET'))).verification;
  const after = async (days: number) => {
    store.advance(days * DAY_MS);
    await store.recheckDueWebsites();
    return verificationNow();
  };
  return { ...web, store, proof, verificationNow, after };
}

describe('a website that verified its publisher', () => {
  it('is checked again every week', async () => {
    const { after, asked } = await verified();
    await after(6.9);
    expect(asked).toEqual([]);
    expect(await after(0.1)).toMatchObject({ verifiedBy: 'website', checkedAt: '2026-03-08T12:00:00.000Z' });
    expect(asked).toEqual([RECORD]);
    await after(0.1);
    expect(asked).toEqual([RECORD]);
  });

  it('no longer verifies it when the proof has been missing for two weeks, and its owners get a mail', async () => {
    const { after, records, store } = await verified();
    records.clear();
    expect(await after(7)).toMatchObject({ verifiedBy: 'website', missingSince: '2026-03-08T12:00:00.000Z' });
    expect(await after(7)).toMatchObject({ verifiedBy: 'website', missingSince: '2026-03-08T12:00:00.000Z' });
    expect(await after(7)).toMatchObject({ verifiedBy: null, missingSince: null });
    expect(await store.stores.publishers.find('acme')).toMatchObject({ verified: false });
    await store.sendDueMails();
    const said = store.lines.filter((line) => line.includes('The publisher acme is no longer verified'));
    expect(said.map((line) => JSON.parse(line).to)).toEqual(['anna@example.com']);
    const { entries } = await jsonOf<{ entries: object[] }>(store.admin('GET', '/api/admin/audit'));
    expect(entries[0]).toMatchObject({
      action: 'publisher.unverify',
      actor: 'store',
      detail: { website: 'https://acme.example', missingSince: '2026-03-08T12:00:00.000Z' },
    });
  });

  it('still verifies it when the proof is back in time', async () => {
    const { after, records, proof, store } = await verified();
    records.clear();
    await after(7);
    await after(7);
    records.set(RECORD, [`svc-verification=${proof}`]);
    await store.signInAgain('anna');
    await store.as('anna', 'POST', '/verify');
    records.clear();
    expect(await after(7)).toMatchObject({ verifiedBy: 'website', missingSince: '2026-03-22T12:00:00.000Z' });
  });

  it('still verifies it after many checks within the two weeks', async () => {
    const { store, records, verificationNow } = await verified();
    records.clear();
    for (let i = 0; i < 9; i += 1) await store.as('anna', 'POST', '/verify');
    expect(await verificationNow()).toMatchObject({
      verifiedBy: 'website',
      missingSince: '2026-03-01T12:00:00.000Z',
    });
  });

  it('does not change a verification by an administrator', async () => {
    const { after, records, store, asked } = await verified();
    await store.admin('PATCH', '/api/admin/publishers/acme', { verified: true });
    records.clear();
    for (let week = 0; week < 4; week += 1) await after(7);
    expect(asked).toEqual([]);
    await store.as('anna', 'POST', '/verify');
    expect(await after(7)).toMatchObject({ verifiedBy: 'administrator', missingSince: null });
  });

  it('is checked also while the website of another publisher does not answer', async () => {
    const { store, asked, sites } = await verified();
    const own = { name: 'Slow', website: 'https://slow.example', createdAt: store.clock().toISOString() };
    await store.stores.publishers.create(
      { ...own, slug: 'aaa', verified: false, suspended: false },
      { look: 'slow', proof: 'slow' },
    );
    const checkedAt = new Date(store.clock().getTime() - DAY_MS).toISOString();
    await store.stores.publishers.change('aaa', {
      ...{ verifiedBy: 'website', verifiedHost: 'slow.example', checkedAt },
    });
    store.advance(7 * DAY_MS);
    const { stores, clock } = store;
    const { promise: never, resolve: answer } = Promise.withResolvers<{ fault: string }>();
    const slow = {
      ...sites,
      txt: (name: string) => (name.endsWith('slow.example') ? never : sites.txt(name)),
    };
    const log = { info() {}, warn() {}, error() {} };
    const unitOfWork = <T>(work: (of: typeof stores) => Promise<T>) => work(stores);
    const round = recheckWebsites({ ...stores, unitOfWork, clock, log, newId: () => 'id', sites: slow });
    await expect.poll(() => asked).toContain(RECORD);
    answer({ fault: 'It did not answer' });
    await round;
  });

  it('is checked by one of several processes', async () => {
    const { store, asked, sites } = await verified();
    store.advance(7 * DAY_MS);
    const { stores, clock } = store;
    const log = { info() {}, warn() {}, error() {} };
    const unitOfWork = <T>(work: (of: typeof stores) => Promise<T>) => work(stores);
    const deps = { ...stores, unitOfWork, clock, log, newId: () => 'id', sites };
    await Promise.all([...Array(5)].map(() => recheckWebsites(deps)));
    expect(asked).toEqual([RECORD]);
  });

  it('is not checked while the store stops', async () => {
    const { store, asked } = await verified();
    store.advance(7 * DAY_MS);
    await store.recheckDueWebsites(AbortSignal.abort());
    expect(asked).toEqual([]);
  });
});
