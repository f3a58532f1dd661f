import { LABELLED_QUERIES } from '@svc/testkit';
import { createStores } from '../../../apps/store/src/adapters/database/stores.ts';
import { openPostgres } from '../../../apps/store/src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import {
  browseCatalog,
  createVersionCache,
  SEARCH_BOUNDS,
} from '../../../apps/store/src/core/catalog/browse.ts';
import type { VersionFacts } from '../../../apps/store/src/core/domain/listings/present.ts';
import { createGate } from '../../../apps/store/src/platform/gate.ts';
import { percentile } from './processes.ts';

/** Number of apps that a client shows while the user types. */
const SHOWN = 20;
const ROUNDS = 5;
const PAGES = 50;

/** Queries with the most results: unfinished words, and very common words. */
const BROAD = [
  'n',
  'no',
  'not',
  'note',
  'notes',
  'photo studio',
  'app',
  'small app for teams that',
  'deploy wizard',
];

/** Costs of reading a catalogue; times in milliseconds. */
export type Reading = {
  selective: { p50: number; p99: number };
  all: { p50: number; p99: number };
  firstPage: number;
  deepPage: number;
  memoryMb: number;
  /** Share of the labelled queries whose app comes first. */
  success: number;
};

const address = process.argv[2] ?? '';
const db = address.startsWith('postgres:')
  ? await openPostgres(address, { info() {}, warn() {}, error() {} })
  : openSqlite(address);
const deps = {
  ...createStores(db),
  entries: createVersionCache<VersionFacts>(2_000),
  searchGate: createGate(SEARCH_BOUNDS),
  addresses: {
    bundle: () => 'https://store.test/bundle',
    file: () => 'https://store.test/file',
    readmePicture: () => 'https://store.test/readme',
  },
};
type Query = Parameters<typeof browseCatalog>[1];

/** The time of a page from query to bytes, and the page. */
async function timed(query: Query) {
  const started = performance.now();
  const page = await browseCatalog(deps, query);
  Buffer.from(JSON.stringify(page));
  return { ms: performance.now() - started, page };
}

async function timesOf(queries: readonly string[]): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const q of queries) times.push((await timed({ q, limit: SHOWN })).ms);
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** Alternates first pages and deep pages: the median of each. */
async function pages(): Promise<{ firstPage: number; deepPage: number }> {
  let cursor: string | null = null;
  for (let n = 0; n < PAGES; n += 1) {
    const { page } = await timed({ ...(cursor !== null && { cursor }) });
    cursor = page.nextCursor ?? cursor;
  }
  const [first, deep]: [number[], number[]] = [[], []];
  for (let n = 0; n < PAGES; n += 1) {
    first.push((await timed({})).ms);
    deep.push((await timed({ ...(cursor !== null && { cursor }) })).ms);
  }
  return { firstPage: percentile(first, 0.5), deepPage: percentile(deep, 0.5) };
}

const labelled = Object.values(LABELLED_QUERIES).flat();
let first = 0;
for (const [q, appId] of labelled) {
  const { page } = await timed({ q, limit: SHOWN });
  if (page.apps[0]?.appId === appId) first += 1;
}
const queries = labelled.map(([q]) => q);
const reading: Reading = {
  selective: await timesOf((LABELLED_QUERIES['whole names'] ?? []).map(([q]) => q)),
  all: await timesOf([...queries, ...BROAD]),
  ...(await pages()),
  memoryMb: process.memoryUsage().rss / 1e6,
  success: first / labelled.length,
};
process.stdout.write(JSON.stringify(reading));
await db.destroy();
