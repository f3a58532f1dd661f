import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf } from '../client.ts';
import { fill, makeRoom } from '../full-disk.ts';
import { canMount, mountMemory, unmount } from '../mounts.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { ProcessOptions } from '../store-process.ts';

const VOLUME_BYTES = 1024 * 1024;
/** The longest time of a request, and from SIGTERM to the exit, in milliseconds. */
const MAX_MS = 5_000;
const MAX_EXIT_MS = 20_000;
const CONCURRENT = 10;

/** Asks until the log is full, and publishes meanwhile. @returns failures */
async function serves(arena: Arena, count: number): Promise<string[]> {
  const failures: string[] = [];
  const app = newApp();
  await publishFirst(arena.client, app);
  const next = versionsOf(app);
  const timed = async (ask: () => Promise<{ status: number }>, wanted: number) => {
    const began = performance.now();
    const { status } = await ask();
    const ms = performance.now() - began;
    if (status !== wanted) failures.push(`a request returned ${status} instead of ${wanted}`);
    if (ms > MAX_MS) failures.push(`a request took ${Math.round(ms)} ms`);
  };
  for (let asked = 0; asked < count; asked += CONCURRENT) {
    const reads = Array.from({ length: CONCURRENT }, () =>
      timed(() => arena.client.get('/api/apps/catalog'), 200),
    );
    await Promise.all(reads);
    if (asked % 500 === 0) await timed(() => arena.client.upload(bundleOf(next())), 201);
  }
  return failures;
}

/** Ends a store by SIGTERM. @returns failures */
async function endsAtOnce({ store }: Arena): Promise<string[]> {
  if (store.isGone()) return ['the store died'];
  process.kill(store.pid, 'SIGTERM');
  const isSlow = await Promise.race([store.gone.then(() => false), sleep(MAX_EXIT_MS, true, { ref: false })]);
  if (isSlow) await store.kill();
  return isSlow ? ['SIGTERM did not end the store'] : [];
}

/** A log that cannot be written. It returns what to do while the store runs, and after. */
type Case = { name: string; open(): Promise<Broken> };
type Broken = {
  log: NonNullable<ProcessOptions['log']>;
  fill?(): Promise<void>;
  free?(): Promise<void>;
  close?(): Promise<void>;
};

const fullDevice: Case = {
  name: 'a full device',
  open: async () => {
    const log = openSync('/dev/full', 'w');
    return { log, close: async () => closeSync(log) };
  },
};

const fullVolume: Case = {
  name: 'a volume that runs full',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'svc-torture-log-'));
    await mountMemory(folder, VOLUME_BYTES);
    const log = openSync(join(folder, 'log'), 'a');
    return {
      log,
      fill: () => fill(folder, 0),
      free: () => makeRoom(folder),
      async close() {
        closeSync(log);
        await unmount(folder);
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

const CASES: readonly Case[] = [
  fullDevice,
  { name: 'a pipe that is not read', open: async () => ({ log: 'unread' }) },
  { name: 'a pipe whose reader is gone', open: async () => ({ log: 'closed' }) },
  fullVolume,
];

async function runCase(arena: Arena, { open }: Case, count: number): Promise<string[]> {
  const { log, fill: fillUp, free, close } = await open();
  try {
    await arena.store.stop();
    await arena.restart({ log });
    await fillUp?.();
    const failures = await serves(arena, count);
    await free?.();
    if (free) failures.push(...(await serves(arena, CONCURRENT)));
    return [...failures, ...arena.store.faults(), ...(await endsAtOnce(arena))];
  } finally {
    await arena.store.kill();
    await close?.();
  }
}

const run = ({ backend, count }: Setup): Promise<Outcome> =>
  experimentIn(backend, async (arena) => {
    const cases = (await canMount()) ? CASES : CASES.filter((one) => one !== fullVolume);
    const failures: string[] = [];
    for (const one of cases) {
      const faults = await runCase(arena, one, count);
      failures.push(...faults.map((fault) => `${one.name}: ${fault}`));
    }
    await arena.restart();
    return { counts: `${cases.length} kinds of logs, ${count} requests each`, failures };
  });

/** Logs that cannot be written. `count` is the requests in each. */
export const logs: Experiment = { name: 'logs', backends: ['sqlite'], count: 3_000, run };
