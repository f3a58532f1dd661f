import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Backend, Site } from '../site.ts';
import { lastLook } from './kill.ts';

/** How long a server is away for, in milliseconds. One that hangs must do so for longer than the store waits for it. */
const AWAY_MS = 3_000;
const HANGS_MS = { postgres: 8_000, s3: 65_000 };
/** How long anybody may wait for an answer meanwhile. */
const MAX_WAIT_MS = 75_000;
const WELL_AGAIN_MS = 30_000;
const AGAIN_MS = 50;
const PUBLISHERS = 3;
const READERS = 2;

/** A way for a server to be away, and to come back. */
type Absence = { name: string; ms: number; leave(): Promise<void> | void; comeBack(): Promise<void> | void };

function absencesOf({ servers }: Backend, { wires }: Site): Absence[] {
  const { postgres, s3 } = servers;
  const ms = AWAY_MS;
  const names = ['postgres', 's3'] as const;
  const ofWires = names.flatMap((name): Absence[] => {
    const wire = wires[name];
    if (!wire) return [];
    return [
      { name: `${name} cut off`, ms, leave: wire.cut, comeBack: wire.fix },
      { name: `${name} hangs`, ms: HANGS_MS[name], leave: wire.hang, comeBack: wire.fix },
    ];
  });
  return [
    ...ofWires,
    ...(postgres ? [{ name: 'postgres stopped', ms, leave: postgres.stop, comeBack: postgres.start }] : []),
    ...(postgres ? [{ name: 'postgres killed', ms, leave: postgres.kill, comeBack: postgres.start }] : []),
    ...(s3 ? [{ name: 's3 killed', ms, leave: s3.pause, comeBack: s3.resume }] : []),
  ];
}

type Load = { isOver: boolean; acknowledged: number; refused: number; faults: Set<string> };

/** An answer while something is away: the work is done, or the store says when to come again, soon enough. */
function judge(load: Load, what: string, status: number, headers: Headers, ms: number): void {
  if (ms > MAX_WAIT_MS) load.faults.add(`${what} was answered after ${Math.round(ms / 1000)} seconds`);
  if (status === 503 && headers.has('retry-after')) load.refused += 1;
  else if (status === 503) load.faults.add(`${what} was answered 503 without Retry-After`);
  else if (status === 0) load.faults.add(`${what} was not answered, or broken off`);
  else if (status >= 500) load.faults.add(`${what} was answered ${status}`);
}

async function publishOn({ client }: Arena, load: Load, next: () => Ref): Promise<void> {
  while (!load.isOver) {
    const ref = next();
    const began = performance.now();
    const { status, headers } = await client.upload(bundleOf(ref));
    judge(load, 'a publish', status, headers, performance.now() - began);
    if (status === 201) load.acknowledged += 1;
    await sleep(AGAIN_MS);
  }
}

async function readOn({ client }: Arena, load: Load, path: string): Promise<void> {
  while (!load.isOver) {
    const began = performance.now();
    const { status, headers } = await client.get(path);
    judge(load, `GET ${path}`, status, headers, performance.now() - began);
    await sleep(AGAIN_MS);
  }
}

/** Publishes until it works again, without anybody touching the store. Returns how long that took in milliseconds. */
async function wellAgain({ client, store }: Arena, next: () => Ref): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < WELL_AGAIN_MS && !store.isGone()) {
    const { status } = await client.upload(bundleOf(next()));
    if (status === 201) return performance.now() - began;
    await sleep(AGAIN_MS);
  }
  return null;
}

async function goThrough(arena: Arena, absence: Absence) {
  const apps = Array.from({ length: PUBLISHERS }, newApp);
  for (const appId of apps) await publishFirst(arena.client, appId);
  const load: Load = { isOver: false, acknowledged: 0, refused: 0, faults: new Set() };
  const first = apps[0] as string;
  const paths = [`/api/apps/${first}`, `${arena.client.address({ appId: first, version: '1.0.0' })}/status`];
  const workers = [
    ...apps.map((appId) => publishOn(arena, load, versionsOf(appId))),
    ...paths.slice(0, READERS).map((path) => readOn(arena, load, path)),
  ];
  await sleep(AWAY_MS / 6);
  await absence.leave();
  await sleep(absence.ms);
  await absence.comeBack();
  const appId = newApp();
  const took = await wellAgain(arena, versionsOf(appId));
  load.isOver = true;
  await Promise.all(workers);
  const failures = [...load.faults];
  if (took === null) failures.push(`a publish did not work again within ${WELL_AGAIN_MS / 1000} seconds`);
  if (load.refused === 0) failures.push('nobody was refused: it was not away');
  failures.push(...(await arena.witness.faults(arena.client)));
  const counts = `${absence.name}: ${load.refused} × 503, ${load.acknowledged} acknowledged, well after ${Math.round(took ?? 0)} ms`;
  return { counts, failures: failures.map((fault) => `${absence.name}: ${fault}`) };
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return experimentIn(backend, async (arena) => {
    const counts: string[] = [];
    const failures: string[] = [];
    for (const absence of absencesOf(backend, arena.site).slice(0, count)) {
      const seen = await goThrough(arena, absence);
      counts.push(seen.counts);
      failures.push(...seen.failures);
    }
    failures.push(...(await lastLook(arena)));
    return { counts: counts.join('; '), failures };
  });
}

/** PostgreSQL or S3 goes and comes back, in every manner. `count` is how many of them. */
export const away: Experiment = {
  name: 'away',
  backends: ['postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
