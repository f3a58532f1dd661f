import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { createMeter, report, type Sample } from '../soak/measures.ts';

const MINUTE_MS = 60_000;
/** Minimum number of samples of a run, and maximum pause between two, in milliseconds. */
const SAMPLES = 60;
const MAX_PAUSE_MS = 10_000;
/** Every n-th sample is followed by a full garbage collection: seldom, as it changes how V8 manages its heap. */
const COLLECT_EVERY = 12;

const WORKERS = 5;
/** The mix of requests of a worker, independent of the speed of the machine. */
const READS_PER_PUBLISH = 20;
const PAUSE_MS = 20;
const YANK_EVERY = 20;

type Load = { isOver: boolean; times: number[]; requests: number; faults: Set<string> };

const pathsOf = (appId: string): string[] => [
  '/api/apps/catalog',
  '/api/apps/catalog?q=notes',
  `/api/apps/${appId}`,
  '/api/apps/revocations',
  `/api/apps/${appId}/versions/1.0.0/bundle`,
  '/readyz',
];

async function timed(load: Load, name: string, send: () => Promise<{ status: number }>): Promise<void> {
  const began = performance.now();
  const { status } = await send();
  load.times.push(performance.now() - began);
  load.requests += 1;
  if (status === 0 || status >= 500) load.faults.add(`${name} returned ${status}`);
  await sleep(PAUSE_MS);
}

const read = ({ client }: Pick<Arena, 'client'>, load: Load, path: string): Promise<void> =>
  timed(load, path, async () => {
    if (!path.endsWith('/bundle')) return client.get(path);
    const bundle = await client.bundle({ appId: path.split('/')[3] as string, version: '1.0.0' });
    return { status: bundle ? 200 : 500 };
  });

/** Publishes an app and its updates, reads in between, and yanks now and then. */
async function workOn(arena: Pick<Arena, 'client'>, load: Load, paths: readonly string[]): Promise<void> {
  const { client } = arena;
  const next = versionsOf((await publishFirst(client, newApp())).appId);
  let reads = 0;
  for (let n = 1; !load.isOver; n += 1) {
    const ref = next();
    await timed(load, 'a publish', () => client.upload(bundleOf(ref)));
    if (n % YANK_EVERY === 0) await timed(load, 'a yank', () => client.yank(ref));
    for (let k = 0; k < READS_PER_PUBLISH && !load.isOver; k += 1, reads += 1)
      await read(arena, load, paths[reads % paths.length] as string);
  }
}

async function sampleFor(arena: Arena, load: Load, minutes: number) {
  const began = performance.now();
  const pause = Math.min(MAX_PAUSE_MS, (minutes * MINUTE_MS) / SAMPLES);
  const meter = await createMeter(arena);
  const samples: Sample[] = [];
  const refused: string[] = [];
  let counted = 0;
  for (let n = 1; performance.now() - began < minutes * MINUTE_MS; n += 1) {
    await sleep(pause);
    const { requests } = load;
    samples.push(await meter.sample({ times: load.times.splice(0), requests: requests - counted }));
    counted = requests;
    if (n % COLLECT_EVERY === 0) samples.push(await meter.collect());
    refused.push(...(await arena.witness.look(arena.client)));
  }
  return { samples, refused };
}

/** Shorter runs, in minutes, are all warm-up: their slopes are reported but not checked. */
const MIN_CHECKED_MINUTES = 10;

/**
 * Mixed load on a store, measured at its first process.
 * @param clients of its processes, between which the workers are divided
 * @param paths that are read, besides those of an app that is published first
 */
export async function underLoad(
  arena: Arena,
  clients: readonly Arena['client'][],
  { minutes, paths }: { minutes: number; paths: readonly string[] },
): Promise<Outcome> {
  const { appId } = await publishFirst(arena.client, newApp());
  const load: Load = { isOver: false, times: [], requests: 0, faults: new Set() };
  const all = [...pathsOf(appId), ...paths];
  const workers = Array.from({ length: WORKERS }, (_, n) =>
    workOn({ client: clients[n % clients.length] ?? arena.client }, load, all),
  );
  const { samples, refused } = await sampleFor(arena, load, minutes).finally(async () => {
    load.isOver = true;
    await Promise.all(workers);
  });
  const { lines, failures } = report(samples, minutes >= MIN_CHECKED_MINUTES);
  return {
    counts: `${minutes} minutes, ${load.requests} requests\n  ${lines.join('\n  ')}\n `,
    failures: [...failures, ...load.faults, ...refused],
  };
}

const run = ({ backend, count }: Setup): Promise<Outcome> =>
  experimentIn(backend, (arena) => underLoad(arena, [arena.client], { minutes: count, paths: [] }));

/** Mixed load for `count` minutes: memory, descriptors, log and work per request must not grow. */
export const soak: Experiment = { name: 'soak', backends: ['sqlite', 'postgres'], count: 30, run };
