import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import autocannon from 'autocannon';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, publishApps, type Running, whileStoreRuns } from './lib/processes.ts';

const ROUNDS = 5;
/** Warm-up until both processes have compiled their code. */
const WARM_UP = 3;
const CONNECTIONS = 20;
/** Lists of the catalogue may be a second old. */
const REST_MS = 3_000;

/** The ideal value is 2. */
const LEAST = 1.5;

const APPS = 20;
const APP = '/api/apps/com.example.app-7';

/** The requests, and their number per turn. */
type Read = { name: string; path: string; amount: number };

const READS: readonly Read[] = [
  { name: 'the catalogue, cached', path: '/api/apps/catalog', amount: 20_000 },
  {
    name: 'an icon, with a query to PostgreSQL each time',
    path: `${APP}/versions/1.0.0/files/assets/icon.png`,
    amount: 10_000,
  },
];

async function ask({ url }: Running, path: string, amount: number): Promise<void> {
  const { non2xx, errors } = await autocannon({ url: url + path, connections: CONNECTIONS, amount });
  if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx + errors} requests failed.`);
}

/** Loads stores concurrently, each with its share. @returns CPU time per response in milliseconds */
async function load(stores: readonly Running[], { path, amount }: Read): Promise<number> {
  const cpu = () => stores.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const before = cpu();
  await Promise.all(stores.map((store) => ask(store, path, amount / stores.length)));
  return (cpu() - before) / amount;
}

/** Alternates one process and both, so that noise affects both. */
async function compare(stores: readonly [Running, Running], read: Read): Promise<Figure> {
  const rounds: { one: number; two: number }[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const one = await load([stores[round % 2] as Running], read);
    rounds.push({ one, two: await load(stores, read) });
  }
  const taken = rounds.slice(WARM_UP);
  const [two, one] = [median(taken.map((round) => round.two)), median(taken.map((round) => round.one))];
  const us = [two, one].map((ms) => Math.round(ms * 1000));
  return {
    name: `Reads answered by two processes on one PostgreSQL, with a CPU core each, against one process, by CPU time: ${read.name}`,
    measured: `${us.join(' against ')} µs of CPU time per response, without PostgreSQL`,
    // What a second process costs both, such as a cache that each fills for itself, shows as more time for an answer.
    value: (2 * one) / two,
    unit: ' times',
    bound: { least: LEAST },
  };
}

/** What a second process adds to a store, where both have one database and one folder of bundles. */
export async function twoProcesses(): Promise<Figure[]> {
  const server = await startPostgres(FAST_POSTGRES);
  try {
    return await inTempFolder(async (folder) => {
      const [dataDir, database] = [join(folder, 'data'), `${server.url}apps`];
      await server.createDatabase('apps');
      const run = <T>(work: (store: Running) => Promise<T>) =>
        whileStoreRuns(dataDir, work, { DATABASE_URL: database });
      return run((one) =>
        run(async (other) => {
          await publishApps(one.url, APPS);
          await sleep(REST_MS);
          const figures: Figure[] = [];
          for (const read of READS) figures.push(await compare([one, other], read));
          return figures;
        }),
      );
    });
  } finally {
    await server.close();
  }
}
