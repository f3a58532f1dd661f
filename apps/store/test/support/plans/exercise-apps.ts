import type { Stores } from '../../../src/adapters/database/stores.ts';
import { relistPublisher } from '../../../src/core/domain/listings/list-in-catalog.ts';
import { findPage } from '../../../src/core/domain/listings/listing-pages.ts';
import type { Database } from '../../../src/platform/database/schema.ts';
import { APP, HASHES, LATER, MOVER, NOW, OTHER, PERSON, PUBLISHER, REF, upload } from './rows.ts';

export async function versions({
  apps,
  versions,
  reviews,
  messages,
  revocations,
  blobLedger,
  listings,
  peopleRecord,
}: Stores) {
  await apps.find(APP);
  await apps.add({ appId: 'new.app', publisher: PUBLISHER, suspended: false, createdAt: NOW });
  for (const direction of ['asc', 'desc'] as const) {
    for (const [sort, key] of [
      ['id', APP],
      ['publisher', PUBLISHER],
      ['created', '2025-1002500'],
    ] as const) {
      await apps.search({ sort, direction, after: null, limit: 50 });
      await apps.search({ sort, direction, after: { key, id: APP }, limit: 50 });
    }
  }
  await apps.search({ appId: APP, sort: 'id', direction: 'asc', after: null, limit: 50 });
  await apps.search({
    text: 'pp.1002',
    publisher: PUBLISHER,
    suspended: false,
    state: 'listed',
    sort: 'id',
    direction: 'asc',
    after: { key: APP, id: APP },
    limit: 50,
  });
  await apps.namesOf([APP, OTHER.appId]);
  await apps.suspend(APP, { reason: 'Malware', at: '2026-03-01T12:00:00.000Z' }, MOVER);
  await apps.suspend(APP, null, MOVER);
  await apps.setRules(PUBLISHER, APP, { trustedOnly: false, confirm: false });
  await apps.withRules(PUBLISHER);
  await versions.add(upload('new.app', '1.0.0'), MOVER);
  await versions.find(REF);
  const waiting = { ...upload('c.f', '1.0.0'), awaitsConfirmation: true as const };
  await apps.add({ appId: 'c.f', publisher: PUBLISHER, suspended: false, createdAt: NOW });
  await versions.add(waiting, MOVER);
  await versions.move(waiting, { from: 'submitted', to: 'checking' }, {}, MOVER);
  await versions.move(waiting, { from: 'checking', to: 'in_review' }, { withheld: true }, MOVER);
  await versions.confirm(waiting, { reasons: [], permissionDiff: null }, MOVER);
  await versions.approveFirst(waiting, { by: PERSON, act: 'approve', of: '' }, MOVER);
  await versions.clearFirst(waiting, MOVER);
  await reviews.decidedSince(NOW, 100);
  await listings.updatesAfter(APP, { limit: 50, offset: 10 });
  await reviews.waitingByReasons();
  await versions.served(REF);
  await versions.attestationOf(REF);
  await versions.findAll([REF, OTHER]);
  await versions.hashesOf([REF, OTHER]);
  await versions.newestUpload(APP);
  await versions.latestPublished(APP);
  await versions.publishedNumbers(APP);
  await versions.published(APP);
  await versions.lastPublished(APP, 50);
  await versions.released(APP);
  await versions.lastMoved(APP);
  await versions.lastMoved(APP, '1.0.0');
  const fresh = { appId: 'new.app', version: '1.0.0' };
  const lease = { by: 'a', until: LATER };
  await versions.abandoned('submitted', NOW);
  await versions.claim(fresh, 'submitted', lease, NOW);
  await versions.move(fresh, { from: 'submitted', to: 'checking' }, { lease }, MOVER);
  const verdict = {
    reasons: [],
    permissionDiff: null,
    notes: '',
    retracted: false,
    publishedAt: NOW,
    signature: 's',
    keyId: 'key-1',
  };
  await versions.move(fresh, { from: 'checking', to: 'in_review' }, verdict, MOVER);
  const none = {
    ...{ reason: null, publisher: null, appId: null, superseded: null, changesRequested: null },
    ...{ submitted: null, lock: null, assigned: null, soleReason: null },
  };
  const { end } = await reviews.page(none, 50, null);
  await reviews.page(
    { ...none, reason: 'flagged:', publisher: PUBLISHER, appId: APP, superseded: false },
    50,
    end,
  );
  await reviews.page(
    { ...none, reason: 'first-version', soleReason: true, submitted: { before: true, moment: NOW } },
    50,
    null,
  );
  for (const held of ['me', 'others', 'nobody'] as const) {
    await reviews.page({ ...none, lock: { held, me: PERSON, now: NOW } }, 50, null);
  }
  const standing = await reviews.reviewState(fresh);
  if (!standing) throw new Error('The new version does not wait.');
  await reviews.placeOf(standing);
  const page = '0'.repeat(32);
  await reviews.lock(fresh, { by: PERSON, until: LATER, page }, NOW);
  await reviews.unlock(fresh, { by: PERSON, page });
  await reviews.unlock(fresh);
  await reviews.assign(fresh, PERSON);
  for (const to of ['me', 'others', 'nobody'] as const) {
    await reviews.page({ ...none, assigned: { to, me: PERSON } }, 50, null);
  }
  await reviews.setChangesRequested(fresh, NOW);
  await reviews.page({ ...none, changesRequested: true }, 50, null);
  const message = { side: 'store', role: 'moderator', requestsChanges: true, text: 'Why?' } as const;
  await messages.add(fresh, { ...message, number: 1, at: NOW, author: PERSON });
  await messages.of(fresh);
  await reviews.moves(REF);
  await reviews.decisions({ appId: APP }, REF, 10);
  await reviews.decisions({ publisher: PUBLISHER }, REF, 10);
  await reviews.recordOf([PUBLISHER]);
  await peopleRecord.publishersOf([PERSON]);
  await peopleRecord.stoppedOf([PUBLISHER]);
  await revocations.yanked();
  await revocations.onRecord([{ ...REF, reason: '', at: NOW }]);
  const list = JSON.stringify({ entries: [], signedAt: NOW, signature: '', keyId: '' });
  await revocations.keep(list, null);
  await revocations.last();
  await revocations.lastText();
  await revocations.lastMark();
  await revocations.keep(list, list);
  await blobLedger.use(HASHES);
  await blobLedger.someUsed(20);
  await blobLedger.unused(HASHES);
  await blobLedger.doom(HASHES, NOW);
  await blobLedger.doomed(HASHES);
  await blobLedger.purgeDoomed('2025-0');
  await blobLedger.ownerName('store');
  await blobLedger.knownName();
  await listings.put({
    ...REF,
    name: 'Word',
    description: 'Words.',
    categories: ['media'],
    requires: [APP],
    firstPublishedAt: NOW,
    updatedAt: NOW,
  });
  await listings.put({
    ...fresh,
    name: 'Word',
    description: 'Words.',
    categories: ['media'],
    firstPublishedAt: NOW,
    updatedAt: NOW,
  });
  // A changed listing removes its old words from the index.
  await listings.put({
    ...REF,
    name: 'Other',
    description: 'Text.',
    categories: [],
    firstPublishedAt: NOW,
    updatedAt: NOW,
  });
}

export async function decided({ decisions }: Stores) {
  await decisions.policy();
  await decisions.policy(2);
  await decisions.addPolicy({ version: 2, intro: '', rules: [], note: '', at: NOW });
  await decisions.policyVersions();
  const about = { kind: 'version-rejected', publisher: PUBLISHER, ...REF } as const;
  const cited = { rule: 'other', policy: 1, note: '', decidedBy: PERSON, decidedAt: NOW };
  await decisions.add({ id: 'd', ...about, ...cited });
  await decisions.lastAbout({ publisher: PUBLISHER, kinds: ['emergency'], appId: APP, at: NOW });
}

export async function lives({ lives: store, listings }: Stores) {
  await store.find(APP);
  await store.setState(APP, { delisted: true, deprecation: null }, MOVER);
  await store.deprecate(APP, REF.version, null, MOVER);
  await store.deprecatedOf(APP);
  await store.deprecationsOf([APP]);
  await store.setOffer(APP, { to: PUBLISHER, by: PERSON, at: NOW });
  await store.offersTo(PUBLISHER);
  await store.ties(APP);
  await store.wasUsed(APP);
  await store.move(APP, PUBLISHER, MOVER);
  await listings.remove(APP, { keepsLooks: true });
  await listings.withLooks({ id: APP, publisher: 'other', name: 'Other', iconLook: null });
  await listings.remove(APP);
  await store.retire('app', APP, NOW);
  await store.isRetired('app', APP);
  await store.removeApp('com.example.none');
  await store.removePublisher('none');
}

export async function catalogue(
  { versions, listings, searchIndex, appStats, installs, relay }: Stores,
  db: Database,
  by: (name: string) => void,
) {
  await listings.updateRank(APP, { installs: 1_000_000, rating: { average: 5, count: 100 } });
  await listings.find(APP);
  await listings.findAll([APP, OTHER.appId]);
  await listings.ofPublisher(PUBLISHER);
  await listings.withLooks({ id: 'org.other.notes', publisher: PUBLISHER, name: 'Notes', iconLook: null });
  await listings.mostInstalledOf(PUBLISHER, 100);
  await listings.isListed(APP);
  await listings.listedVersion(APP);
  by('listing-pages.findPage');
  for (const sort of ['installs', 'rating', 'updated', 'new', 'name'] as const) {
    const after = {
      key: sort === 'name' ? 'name 1002500' : sort === 'updated' || sort === 'new' ? '2025-1002500' : 2_500,
      appId: APP,
    };
    for (const category of [null, 'media', 'design'] as const) {
      await findPage(db, { category, updatedSince: null, sort, limit: 100, after: null });
      await findPage(db, { category, updatedSince: null, sort, limit: 100, after });
      // As for a category with more apps than are collected.
      await findPage(db, { category, updatedSince: null, sort, limit: 100, after: null }, 10);
      for (const updatedSince of ['2025-1004900', '2025-1099990']) {
        await findPage(db, { category, updatedSince, sort, limit: 100, after: null });
      }
    }
  }
  by('list-in-catalog.relistPublisher');
  await relistPublisher({ versions, listings }, PUBLISHER);
  await listings.page({ category: null, updatedSince: null, sort: 'installs', limit: 10, after: null });
  await listings.remove(OTHER.appId);
  const lists = await searchIndex.lists(['word:all', 'word:1002500']);
  await searchIndex.listsBeginning('word:100250', 10);
  await searchIndex.wordsSpelt(['spelt-1002500']);
  const [all, one] = [lists.filter(({ apps }) => apps > 10), lists.filter(({ apps }) => apps <= 10)];
  await searchIndex.inEvery([all], 100);
  await searchIndex.inEvery([all, one], 100);
  await searchIndex.named('word100250', all[0] ?? null, 100);
  await searchIndex.identified('app.1002', null, 100);
  await searchIndex.candidates([2_500, 2_502]);
  await appStats.of(APP);
  await appStats.addInstalls(new Map([[APP, 1]]));
  await appStats.adjustHistogram(APP, null, 5);
  await appStats.adjustHistogram(APP, 5, 1);
  await installs.countFrom([{ day: '2026-06-01', networkHash: 'n', appId: APP, installs: 1 }]);
  await installs.recordFetches([{ day: '2026-06-01', idHash: 'h', version: '1.0.0' }]);
  await installs.count([{ appId: APP, day: '2026-06-01', version: '1.0.0', installs: 1, updates: 0 }]);
  await installs.countsOf(APP, '2026-01-01', '2026-06-01');
  await installs.purgeBefore('2025-01-01');
  await installs.secret('for', 'secret');
  await installs.known(HASHES);
  await installs.put([{ idHash: 'new', appId: APP, version: '1.0.0', counted: true }]);
  await installs.bind('new', PERSON);
  await installs.ownedBy(PERSON, APP);
  const parked = { network: 'net-1000500', browser: 'b', ticketHash: 't', isConfirmed: false };
  await relay.park({ stateHash: 's', sealed: 'x', ...parked, expiresAt: LATER });
  const waiting = { network: 'b', site: 'net-1000500', appId: null };
  await relay.addClient({ stateHash: 's', ...waiting, expiresAt: LATER });
  await relay.clientsOf('s', NOW);
  await relay.countClients('net-1000500', NOW);
  await relay.stateOfTicket('t', NOW);
  await relay.confirm('t', false);
  await relay.confirm('t', true);
  await relay.find('s', NOW);
  await relay.empty('s');
  await relay.countIn('net-1000500', NOW);
  await relay.purgeExpired(NOW);
}
