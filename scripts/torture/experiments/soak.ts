import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, inArena, newApp, publishFirst, versionsOf } from '../arena.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { type Slope, slopeOf } from '../slope.ts';
import { createWitness, type Witness } from '../witness.ts';

const MINUTE_MS = 60_000;
/** Samples that a run has at least, and the longest pause between two, in milliseconds. */
const SAMPLES = 60;
const MAX_PAUSE_MS = 10_000;
/** What a process allocates in its first minutes, caches above all, is no leak: that part of a run is not measured. */
const WARM_UP = 0.25;

const READERS = 3;
const PUBLISHERS = 2;
/** A publisher waits so long between two uploads: a store that only grows would show the growth of its data. */
const PUBLISH_EVERY_MS = 500;
const READ_EVERY_MS = 20;
const YANK_EVERY = 20;

type Sample = { minute: number; memoryMb: number; descriptors: number; logMb: number; p99Ms: number };
type Load = { isOver: boolean; times: number[]; requests: number; faults: Set<string> };

const pathsOf = (appId: string): string[] => [
  '/api/apps/catalog',
  '/api/apps/catalog?q=notes',
  `/api/apps/${appId}`,
  '/api/apps/revocations',
  `/api/apps/${appId}/versions/1.0.0/bundle`,
  '/readyz',
];

async function timed(load: Load, what: string, ask: () => Promise<{ status: number }>): Promise<void> {
  const began = performance.now();
  const { status } = await ask();
  load.times.push(performance.now() - began);
  load.requests += 1;
  if (status === 0 || status >= 500) load.faults.add(`${what} was answered ${status}`);
}

async function readOn({ client }: Arena, load: Load, paths: readonly string[]): Promise<void> {
  for (let n = 0; !load.isOver; n += 1) {
    const path = paths[n % paths.length] as string;
    await timed(load, path, async () => {
      if (!path.endsWith('/bundle')) return client.get(path);
      const found = await client.bundle({ appId: path.split('/')[3] as string, version: '1.0.0' });
      return { status: found ? 200 : 500 };
    });
    await sleep(READ_EVERY_MS);
  }
}

async function publishOn(arena: Arena, load: Load, witness: Witness): Promise<void> {
  const appId = newApp();
  await publishFirst(arena.client, appId);
  const next = versionsOf(appId);
  for (let n = 1; !load.isOver; n += 1) {
    const ref = next();
    await timed(load, 'a publish', async () => ({ status: await witness.publish(arena.client, ref) }));
    if (n % YANK_EVERY === 0) await witness.yank(arena.client, ref);
    await sleep(PUBLISH_EVERY_MS);
  }
}

const quantile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? 0;

async function sampleOf({ store, site }: Arena, load: Load, began: number): Promise<Sample> {
  const status = await readFile(`/proc/${store.pid}/status`, 'utf8');
  const log = join(site.settings().SVC_DATA_DIR as string, 'store.sqlite-wal');
  const times = load.times.splice(0);
  return {
    minute: (performance.now() - began) / MINUTE_MS,
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    descriptors: (await readdir(`/proc/${store.pid}/fd`)).length,
    logMb: ((await stat(log).catch(() => null))?.size ?? 0) / 1024 / 1024,
    p99Ms: quantile(times, 0.99),
  };
}

const MEASURES = ['memoryMb', 'descriptors', 'logMb', 'p99Ms'] as const;

/** A shorter run, in minutes, is all warming up: its slopes are told and not judged. */
const MIN_JUDGED_MINUTES = 10;

/** How much each measure may grow in an hour, surely, before it is called a leak. */
const MAX_AN_HOUR = { memoryMb: 60, descriptors: 5, logMb: 5, p99Ms: 200 };

const shown = ({ perMinute, low, high }: Slope): string =>
  `${(perMinute * 60).toFixed(2)} an hour (95 %: ${(low * 60).toFixed(2)} to ${(high * 60).toFixed(2)})`;

/** The lines of a soak: where each measure stood, and how it grew. */
function report(samples: readonly Sample[], isJudged: boolean): { lines: string[]; failures: string[] } {
  const from = samples.slice(Math.floor(samples.length * WARM_UP));
  const minutes = from.map(({ minute }) => minute);
  const failures: string[] = [];
  const lines = MEASURES.map((measure) => {
    const values = from.map((sample) => sample[measure]);
    const slope = slopeOf(minutes, values);
    // The lower bound: what is surely growth.
    if (isJudged && slope.low * 60 > MAX_AN_HOUR[measure]) failures.push(`${measure} grows: ${shown(slope)}`);
    return `${measure} median ${quantile(values, 0.5).toFixed(1)}, most ${Math.max(...values).toFixed(1)}, slope ${shown(slope)}`;
  });
  return { lines, failures };
}

async function sampleFor(arena: Arena, load: Load, witness: Witness, minutes: number) {
  const began = performance.now();
  const pause = Math.min(MAX_PAUSE_MS, (minutes * MINUTE_MS) / SAMPLES);
  const samples: Sample[] = [];
  const refused: string[] = [];
  while (performance.now() - began < minutes * MINUTE_MS) {
    await sleep(pause);
    samples.push(await sampleOf(arena, load, began));
    refused.push(...(await witness.look(arena.client)));
  }
  return { samples, refused };
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return inArena(backend, async (arena) => {
    const witness = await createWitness(arena.client);
    const appId = newApp();
    await publishFirst(arena.client, appId);
    const load: Load = { isOver: false, times: [], requests: 0, faults: new Set() };
    const workers = [
      ...Array.from({ length: READERS }, () => readOn(arena, load, pathsOf(appId))),
      ...Array.from({ length: PUBLISHERS }, () => publishOn(arena, load, witness)),
    ];
    const { samples, refused } = await sampleFor(arena, load, witness, count).finally(async () => {
      load.isOver = true;
      await Promise.all(workers);
    });
    const { lines, failures } = report(samples, count >= MIN_JUDGED_MINUTES);
    failures.push(...load.faults, ...refused, ...(await witness.faults(arena.client)));
    const counts = `${count} minutes, ${samples.length} samples, ${load.requests} requests, ${witness.count()}\n  ${lines.join('\n  ')}\n `;
    return { counts, failures };
  });
}

/** Mixed load for as many minutes as `count` says, and whether memory, descriptors, log and p99 stay flat. */
export const soak: Experiment = { name: 'soak', backends: ['sqlite', 'postgres'], count: 30, run };
