import type { ServerResponse } from 'node:http';
import type { RevocationEntry, RevocationHead } from '@svc/contracts';
import { type SigningKey, signRevocationHead, signRevocations } from '@svc/signing';
import { expect, it } from 'vitest';
import { yankOf } from '../../src/library/app-table.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { APP, newKey, type SigningStore, startSigningStore } from '../support/signing-store.ts';
import { at, fail, NOW, openWorld, system } from '../support/world.ts';

const WHOLE = '/api/apps/revocations';
const HEAD = '/api/revocations/head';

/** A client, and a store that serves its list in segments of two entries. */
async function started(perSegment: number | null = 2) {
  const store = await startSigningStore();
  store.state.perSegment = perSegment;
  const world = await openWorld(store);
  const clock = { now: NOW };
  const watch = createRevocationWatch({
    ...world,
    system: { ...system, now: () => clock.now },
    onFault: fail,
  });
  /** The paths of the requests of a check, without those for keys. */
  async function check() {
    store.seen.length = 0;
    const { refused } = await watch.check();
    const paths = store.seen.map(({ url }) => url).filter((url) => url !== '/api/apps/public-keys');
    return { refused, paths: paths.map((url) => url.replace(/[0-9a-f]{64}$/, 'SEGMENT')) };
  }
  const { database } = world.storage;
  const isOff = (version: string) => yankOf(database, store.url, { appId: APP, version }) !== null;
  const offOf = (...versions: string[]) => versions.filter(isOff);
  return { ...world, store, clock, check, offOf, database };
}

const SEGMENT = '/api/revocations/segments/SEGMENT';
const versions = (count: number) => Array.from({ length: count }, (_, n) => `1.0.${n}`);

it('fetches the head, the segments that it lacks, and nothing more while the store serves the same', async () => {
  const { store, check, offOf } = await started();
  store.yank(at(10), ...versions(5));
  expect(await check()).toEqual({ refused: null, paths: [HEAD, SEGMENT, SEGMENT] });
  expect(offOf(...versions(6))).toEqual(versions(5));
  expect((await check()).paths).toEqual([HEAD]);
  expect(store.seen[0]?.ifNoneMatch).toMatch(/^"/);
  // Signed again, with the same entries.
  store.state.signedAt = at(20);
  expect((await check()).paths).toEqual([HEAD]);
  store.state.entries.push({ appId: APP, version: '2.0.0', reason: 'x', at: at(21) });
  store.state.signedAt = at(21);
  expect(await check()).toEqual({ refused: null, paths: [HEAD, SEGMENT] });
  expect(offOf('1.0.0', '2.0.0')).toEqual(['1.0.0', '2.0.0']);
});

it('knows its segments after a restart, and ends yanks that were undone', async () => {
  const { store, check, folder, offOf } = await started();
  store.yank(at(10), ...versions(4));
  await check();
  const again = await openWorld(store, { folder });
  const watch = createRevocationWatch({ ...again, system, onFault: fail });
  store.state.entries = store.state.entries.slice(0, 3);
  store.state.signedAt = at(20);
  store.seen.length = 0;
  await watch.check();
  expect(store.seen.map(({ url }) => url)).toEqual([HEAD]);
  expect(offOf(...versions(4))).toEqual(versions(3));
});

it('asks a store that has no list in parts for the whole, and for the parts once a day', async () => {
  const { store, check, clock, offOf } = await started(null);
  store.yank(at(10), '1.0.0');
  expect(await check()).toEqual({ refused: null, paths: [HEAD, WHOLE] });
  expect((await check()).paths).toEqual([WHOLE]);
  store.state.perSegment = 2;
  clock.now += 24 * 3_600_000;
  store.yank(at(20), '1.0.1');
  expect((await check()).paths).toEqual([HEAD]);
  expect(offOf('1.0.0', '1.0.1')).toEqual(['1.0.1']);
});

type Answer = (response: ServerResponse) => void;

const WRONG: [string, (store: SigningStore) => Answer][] = [
  ['missing', (store) => (response) => store.refuse(response, 404, 'not_found')],
  ['another one', () => (response) => response.end('[]')],
  ['cut short', () => (response) => response.end('[{"appId":"com.example.notes"')],
  ['endless', () => (response) => void response.end('['.repeat(1_000_000))],
];

it.each(WRONG)('takes the whole list when a segment is %s', async (_what, answer) => {
  const { store, check, offOf } = await started();
  store.yank(at(10), ...versions(3));
  const [segment] = store.listHead(2).segments;
  store.lie(`/api/revocations/segments/${segment?.sha256}`, answer(store));
  expect(await check()).toEqual({ refused: null, paths: [HEAD, SEGMENT, WHOLE] });
  expect(offOf(...versions(3))).toEqual(versions(3));
  // The list is known: the segment is not asked for again until the list changes.
  expect((await check()).paths).toEqual([HEAD]);
  store.lie(`/api/revocations/segments/${segment?.sha256}`, null);
  store.state.signedAt = at(20);
  store.state.entries.push({ appId: APP, version: '2.0.0', reason: 'x', at: at(20) });
  expect(await check()).toEqual({ refused: null, paths: [HEAD, SEGMENT, SEGMENT] });
});

/** A head of other parts or of another list, signed by the store. */
const signedHead = (
  { state }: SigningStore,
  {
    entries = state.entries,
    signedAt = at(10),
    key = state.key,
    ...parts
  }: {
    entries?: RevocationEntry[];
    signedAt?: string;
    key?: SigningKey;
    segments?: RevocationHead['segments'];
    open?: RevocationEntry[];
  },
) => signRevocationHead(signRevocations(entries, signedAt, key), { segments: [], open: [], ...parts }, key);

/** 65 MiB of segments. */
const ENDLESS = Array.from({ length: 65 }, (_, n) => ({
  sha256: n.toString(16).padStart(64, '0'),
  bytes: 1024 * 1024,
}));

/** Heads that a store, or a mirror of it, must not get accepted, and how many segments the client fetches to find out. */
const LIES: [string, (head: RevocationHead, store: SigningStore) => object, number][] = [
  ['with a segment less', (head) => ({ ...head, segments: head.segments.slice(1) }), 0],
  ['with its segments swapped', (head) => ({ ...head, segments: head.segments.toReversed() }), 0],
  ['without its open entries', (head) => ({ ...head, open: [] }), 0],
  ['with another time', (head) => ({ ...head, signedAt: at(50) }), 0],
  ['with an unknown field', (head) => ({ ...head, more: 1 }), 0],
  [
    'of another store',
    ({ segments, open }, store) => signedHead(store, { segments, open, key: newKey() }),
    0,
  ],
  ['whose parts are not the whole, all signed', ({ segments }, store) => signedHead(store, { segments }), 2],
  ['of the past', (_head, store) => signedHead(store, { entries: [], signedAt: at(5) }), 0],
  [
    'of the same time with other entries',
    (_head, store) => signedHead(store, { entries: [], signedAt: at(9) }),
    0,
  ],
  ['of endless segments', (_head, store) => signedHead(store, { segments: ENDLESS }), 0],
];

it.each(LIES)('refuses a head %s, also in the place of the whole list', async (_what, lie, segments) => {
  const { store, check, offOf } = await started();
  store.yank(at(9), '0.9.0');
  await check();
  store.yank(at(10), ...versions(5));
  const wrong = lie(store.listHead(2), store);
  for (const path of [HEAD, WHOLE]) store.lie(path, (response) => store.answer(response, 200, wrong));
  const { refused, paths } = await check();
  expect(refused).not.toBeNull();
  expect(paths).toEqual([HEAD, ...Array(segments).fill(SEGMENT), WHOLE]);
  expect(offOf('0.9.0', ...versions(5))).toEqual(['0.9.0']);
  store.lie(WHOLE, null);
  expect((await check()).refused).toBeNull();
  expect(offOf('0.9.0', ...versions(5))).toEqual(versions(5));
});

it('does not take a whole list for a head', async () => {
  const { store, check } = await started();
  store.lie(HEAD, (response) => store.answer(response, 200, signRevocations([], at(20), store.state.key)));
  expect((await check()).paths).toEqual([HEAD, WHOLE]);
});

it('does not ask a store for the whole list that asks it to wait, or that does not answer', async () => {
  const { store, check } = await started();
  store.lie(HEAD, (response) => {
    response.setHeader('Retry-After', '60');
    store.refuse(response, 503, 'unavailable');
  });
  expect(await check()).toEqual({ refused: 'store-refused', paths: [HEAD] });
  store.lie(HEAD, (response) => response.destroy());
  expect(await check()).toEqual({ refused: 'store-unreachable', paths: [HEAD] });
});

it('fetches a segment again that is damaged on the disk', async () => {
  const { store, check, database, offOf } = await started();
  store.yank(at(10), ...versions(4));
  await check();
  database.exec("update revocation_segments set entries = '[]'");
  store.state.signedAt = at(20);
  store.state.entries = [...store.state.entries.slice(0, 2)];
  expect(await check()).toEqual({ refused: null, paths: [HEAD, SEGMENT] });
  expect(offOf(...versions(4))).toEqual(versions(2));
  expect(database.prepare('select count(*) as n from revocation_segments').get()).toEqual({ n: 1 });
});
