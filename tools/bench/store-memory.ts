import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packedSample } from '@svc/testkit';
import autocannon from 'autocannon';
import type { Figure } from './lib/figure.ts';
import { packedStore } from './lib/packed-store.ts';
import {
  automationAt,
  inTempFolder,
  PUBLISHER,
  publishApps,
  type Running,
  upload,
  whileStoreRuns,
} from './lib/processes.ts';

const APPS = 20;
const REQUESTS = 20_000;
const PUBLISHES = 200;
const CONNECTIONS = 20;
/** Pause after the start: memory of the start is freed, and the first jobs have run. */
const REST_MS = 15_000;
const MB = 1_000_000;

const PATHS = [
  '/',
  '/apps/com.example.app-7',
  '/api/apps/catalog',
  '/api/apps/com.example.app-7',
  '/api/apps/com.example.app-7/versions/1.0.0/files/assets/icon.png',
];

/** Resident memory of a process in megabytes (Linux). */
export function memoryOf({ pid }: Running): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (found === undefined) throw new Error('This system does not report the memory of a process.');
  return (Number(found) * 1024) / MB;
}

async function use(store: Running): Promise<void> {
  for (const path of PATHS) {
    const amount = REQUESTS / PATHS.length;
    const { non2xx, errors } = await autocannon({ url: store.url + path, connections: CONNECTIONS, amount });
    if (non2xx + errors > 0) throw new Error(`${path}: ${non2xx + errors} requests failed.`);
  }
  for (let n = 1; n <= PUBLISHES; n += 1)
    await upload(store.url, packedSample({ id: 'com.example.app-0', name: 'App 0', version: `1.${n}.0` }));
}

/** Memory of a new packed store after some work. */
const afterwards = (program: string, work: (store: Running) => Promise<unknown>): Promise<number> =>
  inTempFolder((folder) =>
    whileStoreRuns(
      join(folder, 'data'),
      async (store) => {
        await work(store);
        return memoryOf(store);
      },
      {},
      program,
    ),
  );

/** Memory of an idle packed store, and of a used one. */
export async function storeMemory(): Promise<Figure[]> {
  const program = await packedStore();
  // Before the first measurement, so that no measured process compiles.
  await afterwards(program, ({ url }) => publishApps(url, 1));
  const idle = await afterwards(program, async ({ url }) => {
    await automationAt(url).addPublisher(PUBLISHER);
    await sleep(REST_MS);
  });
  const used = await afterwards(program, async (store) => {
    await publishApps(store.url, APPS);
    await use(store);
  });
  const figure = (name: string, value: number, most: number): Figure => ({
    name,
    measured: 'resident memory of the process of the packed store with all threads',
    value,
    unit: ' MB',
    bound: { most },
  });
  return [
    figure('Memory of a store that is idle', idle, 160),
    figure(`Memory of a store after ${REQUESTS} requests and ${PUBLISHES} publishes`, used, 260),
  ];
}
