import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { packedSample } from '@svc/testkit';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { sql } from 'kysely';
import { databaseIn } from '../../apps/store/src/adapters/disk/data-folder.ts';
import { openPostgres } from '../../apps/store/src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import type { Database } from '../../apps/store/src/platform/database/schema.ts';
import { loadIntoPostgres, loadIntoSqlite } from '../../apps/store/test/support/load-catalogue.ts';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import {
  automationAt,
  inTempFolder,
  median,
  PUBLISHER,
  type Running,
  upload,
  whileStoreRuns,
} from './lib/processes.ts';

const SIZES = [1_000, 100_000] as const;
const ROUNDS = 3;
const UPLOADS = 40;
/** Each of the 1,000 apps is requested once. */
const PAGES_A_ROUND = 200;
const MOST = 1.3;
const SILENT = { info() {}, warn() {}, error() {} };

/** The operations, and their repetitions per round. */
type Kind = 'publishing a new app' | 'publishing an update' | 'an app page that is not cached';

/** Wall-clock time and CPU time of the store per operation in milliseconds; on PostgreSQL without the database. */
type Cost = { ms: number; cpu: number };
type Costs = Record<Kind, Cost>;

async function costOf({ pid }: Running, times: number, work: (n: number) => Promise<void>): Promise<Cost> {
  const [began, before] = [performance.now(), cpuOf(pid)];
  for (let n = 0; n < times; n += 1) await work(n);
  return { ms: (performance.now() - began) / times, cpu: (cpuOf(pid) - before) / times };
}

const bundleOf = (round: number, n: number, version: string): Uint8Array =>
  packedSample(
    { id: `com.example.round${round}-${n}`, name: `Round ${round} ${n}`, version },
    { 'assets/noise.bin': randomBytes(10_000) },
  );

/** An uncached page: each app is requested once. */
async function readPage(store: Running, n: number): Promise<void> {
  const answer = await fetch(`${store.url}/apps/com.corpus.app${n}`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`The page of app ${n} returned ${answer.status}.`);
}

async function round(store: Running, number: number): Promise<Costs> {
  const make = (version: string) => Array.from({ length: UPLOADS }, (_, n) => bundleOf(number, n, version));
  const [fresh, updates] = [make('1.0.0'), make('1.1.0')];
  const send = (bundles: readonly Uint8Array[]) =>
    costOf(store, UPLOADS, (n) => upload(store.url, bundles[n] as Uint8Array));
  const isNew = await send(fresh);
  for (let n = 0; n < UPLOADS; n += 1)
    await automationAt(store.url).approve({ appId: `com.example.round${number}-${n}`, version: '1.0.0' });
  const isUpdate = await send(updates);
  const pages = await costOf(store, PAGES_A_ROUND, (n) => readPage(store, number * PAGES_A_ROUND + n));
  return {
    'publishing a new app': isNew,
    'publishing an update': isUpdate,
    'an app page that is not cached': pages,
  };
}

/** Alternates rounds with a store of each size, so that noise affects both; the first is a warm-up. */
async function measure(stores: readonly Running[]): Promise<Costs[][]> {
  for (const { url } of stores) await automationAt(url).addPublisher(PUBLISHER);
  const taken: Costs[][] = [];
  for (let number = 0; number <= ROUNDS; number += 1) {
    const costs: Costs[] = [];
    for (const store of stores) costs.push(await round(store, number));
    taken.push(costs);
  }
  return taken.slice(1);
}

function figuresOf(database: string, rounds: readonly Costs[][]): Figure[] {
  const kinds = Object.keys(rounds[0]?.[0] ?? {}) as Kind[];
  return kinds.map((kind) => {
    const at = (size: number, pick: (cost: Cost) => number) =>
      median(rounds.map((costs) => pick((costs[size] as Costs)[kind])));
    const [small, large] = [at(0, ({ cpu }) => cpu), at(1, ({ cpu }) => cpu)];
    const times = [at(0, ({ ms }) => ms), at(1, ({ ms }) => ms)].map((ms) => ms.toFixed(1)).join(' and ');
    return {
      name: `Growth of ${kind} from 1,000 to 100,000 apps on ${database}, by CPU time of the store`,
      measured: `${small.toFixed(1)} and ${large.toFixed(1)} ms of CPU time, ${times} ms wall-clock`,
      value: large / small,
      unit: ' times',
      bound: { most: MOST },
    };
  });
}

/** Starts a store once to create its key and tables. @returns the id of the key, for the loaded versions */
export const begin = (folder: string, env: Record<string, string> = {}): Promise<string> =>
  whileStoreRuns(
    folder,
    async ({ url }) => {
      const answer = await fetch(`${url}/api/apps/public-key`);
      return ((await answer.json()) as { keyId: string }).keyId;
    },
    env,
  );

/** Writes the key id into the versions: a store does not start with versions of another key. */
export async function sign(db: Database, keyId: string): Promise<void> {
  await sql`update versions set key_id = ${keyId}`.execute(db);
  await db.destroy();
}

/** Growth of the cost of a publish, an update and a page with the number of apps, on SQLite. */
export const growthOnSqlite = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    const folders = SIZES.map((size) => join(folder, String(size)));
    for (const [n, size] of SIZES.entries()) {
      const dataDir = folders[n] as string;
      const keyId = await begin(dataDir);
      await loadIntoSqlite(databaseIn(dataDir), size);
      await sign(openSqlite(databaseIn(dataDir)), keyId);
    }
    const [small = '', large = ''] = folders;
    return whileStoreRuns(small, (one) =>
      whileStoreRuns(large, async (other) => figuresOf('SQLite', await measure([one, other]))),
    );
  });

/** The same on PostgreSQL, whose time shows in the wall-clock time. */
export async function growthOnPostgres(): Promise<Figure[]> {
  const server = await startPostgres(FAST_POSTGRES);
  try {
    return await inTempFolder(async (folder) => {
      const stores = SIZES.map((size) => ({
        dataDir: join(folder, String(size)),
        env: { DATABASE_URL: `${server.url}apps_${size}` },
      }));
      for (const [n, size] of SIZES.entries()) {
        const { dataDir, env } = stores[n] as (typeof stores)[number];
        await server.createDatabase(`apps_${size}`);
        const keyId = await begin(dataDir, env);
        await loadIntoPostgres(env.DATABASE_URL, size);
        await sign(await openPostgres(env.DATABASE_URL, SILENT), keyId);
      }
      const [small, large] = stores as [(typeof stores)[number], (typeof stores)[number]];
      const both = (one: Running) =>
        whileStoreRuns(
          large.dataDir,
          async (other) => figuresOf('PostgreSQL', await measure([one, other])),
          large.env,
        );
      return whileStoreRuns(small.dataDir, both, small.env);
    });
  } finally {
    await server.close();
  }
}
