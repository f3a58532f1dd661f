import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@svc/contracts';
import { DEEP, runs, sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onPostgres } from '../../support/database.ts';
import { type StoreFace, startStore } from '../../support/store-process.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore, twinOf } from '../../support/test-store.ts';

const AT_ONCE = 50;

/** As many in `npm test`. */
const AT_ONCE_QUICK = 12;

const oneStore = async (): Promise<StoreFace[]> => [await openTestStore()];

/** Two stores on one database and one data folder; on PostgreSQL, which sees two processes, each has its own connections. */
async function twoStores(): Promise<StoreFace[]> {
  const first = await openTestStore();
  return [first, await twinOf(first)];
}

/** Two processes on one database and one data folder. */
async function twoProcesses(): Promise<StoreFace[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-twins-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return [await startStore(folder), await startStore(folder)];
}

const send = (store: StoreFace, path: string, json: unknown) =>
  store.call('POST', path, { token: ADMIN_TOKEN, json });

const upload = (store: StoreFace, bundle: Uint8Array) =>
  store.call('POST', '/api/apps/publish', {
    token: ADMIN_TOKEN,
    body: bundle as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/zip' },
  });

const publish = (store: StoreFace, manifest: Partial<Manifest>) => upload(store, sampleBundle(manifest));

const decide = (store: StoreFace, decision: 'approve' | 'reject', version: string) =>
  send(store, `/api/moderation/apps/com.example.notes/versions/${version}/${decision}`, { note: 'Seen.' });

/** Creates publishers. `across` runs a request many times at once, alternating between the stores. */
async function started(open: () => Promise<StoreFace[]>, slugs = ['example']) {
  const stores = await open();
  const at = (n: number) => stores[n % stores.length] as StoreFace;
  for (const slug of slugs) await send(at(0), '/api/admin/publishers', { slug, name: slug });
  const across = (times: number, act: (store: StoreFace, n: number) => Promise<Response>) =>
    tally(Array.from({ length: times }, (_, n) => act(at(n), n)));
  return { stores, first: at(0), across };
}

/** The number of responses by status and code. */
async function tally(answers: Promise<Response>[]): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (const response of await Promise.all(answers)) {
    const { code } = await jsonOf<{ code?: string }>(response);
    const outcome = code ? `${response.status} ${code}` : String(response.status);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

describe.each([
  { name: 'one store', open: oneStore, rounds: 10, race: onPostgres() ? DEEP : {}, rest: {} },
  // With two stores, `npm test` only tests races of inserts. Updates take the same lock, so the deep run tests them.
  {
    name: 'two stores over one database',
    open: twoStores,
    rounds: 3,
    race: onPostgres() ? {} : DEEP,
    rest: DEEP,
  },
  { name: 'two processes over one database', open: twoProcesses, rounds: 3, race: DEEP, rest: DEEP },
])('$name', ({ open, rounds, race, rest }) => {
  async function acceptsOnce(times: number, atOnce: number) {
    const { across } = await started(open);
    for (let round = 0; round < times; round += 1) {
      const version = `1.${round}.0`;
      // Two different bundles, so that the bytes of the uploads differ too.
      const bundles = ['# One\n', '# Two\n'].map((readme) =>
        sampleBundle({ version }, { 'README.md': readme }),
      );
      const outcomes = await across(atOnce, (store, n) => upload(store, bundles[(n >> 1) % 2] as Uint8Array));
      expect([round, outcomes]).toEqual([round, { 201: 1, '409 version_not_greater': atOnce - 1 }]);
    }
  }

  it(`accepts a version number once, of ${AT_ONCE_QUICK} concurrent uploads`, race, () =>
    acceptsOnce(1, AT_ONCE_QUICK),
  );

  it(
    `accepts a version number once, of ${AT_ONCE} concurrent uploads, ${rounds} times`,
    { ...DEEP, timeout: 120_000 },
    () => acceptsOnce(rounds, AT_ONCE),
  );

  it('gives an app id to one of several publishers that upload it at once', DEEP, async () => {
    const slugs = Array.from({ length: 10 }, (_, n) => `publisher-${n}`);
    const { across } = await started(open, slugs);
    const outcomes = await across(slugs.length, (store, n) =>
      publish(store, { publisher: slugs[n] as string }),
    );
    expect(outcomes).toEqual({ 201: 1, '409 id_taken': slugs.length - 1 });
  });

  it('accepts the decision of only one of two moderators', rest, async () => {
    const { first, across } = await started(open);
    for (let round = 0; round < runs(12); round += 1) {
      const version = `1.${round}.0`;
      expect((await publish(first, { version })).status).toBe(201);
      const outcomes = await across(2, (store, n) => decide(store, n === 0 ? 'approve' : 'reject', version));
      expect([round, outcomes]).toEqual([round, { 200: 1, '409 already_handled': 1 }]);
    }
  });

  it('lists the greatest version after several are published at once', rest, async () => {
    const { stores, first, across } = await started(open);
    const versions = Array.from({ length: 8 }, (_, n) => `1.${n}.0`);
    for (const version of versions) expect((await publish(first, { version })).status).toBe(201);
    const outcomes = await across(versions.length, (store, n) =>
      decide(store, 'approve', versions[n] as string),
    );
    expect(outcomes).toEqual({ 200: versions.length });
    for (const store of stores) {
      const { apps } = await bodyOf(store.call('GET', '/api/apps/catalog?sort=new'));
      expect(apps).toMatchObject([{ version: '1.7.0' }]);
    }
  });
});
