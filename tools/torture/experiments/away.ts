import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Backend, Site } from '../site.ts';
import { finalCheck } from './kill.ts';

/** Duration of an outage in milliseconds. A hang must exceed the timeout of the store. */
const AWAY_MS = 3_000;
const HANGS_MS = { postgres: 8_000, s3: 65_000 };
/** Maximum response time during an outage. */
const MAX_WAIT_MS = 75_000;
const RECOVERY_MS = 30_000;
const RETRY_MS = 50;
const PUBLISHERS = 3;
const READERS = 2;

/** A kind of server outage. */
type Outage = { name: string; ms: number; start(): Promise<void> | void; end(): Promise<void> | void };

function outagesOf({ servers }: Backend, { wires }: Site): Outage[] {
  const { postgres, s3 } = servers;
  const ms = AWAY_MS;
  const names = ['postgres', 's3'] as const;
  const ofWires = names.flatMap((name): Outage[] => {
    const wire = wires[name];
    if (!wire) return [];
    return [
      { name: `${name} cut off`, ms, start: wire.cut, end: wire.fix },
      { name: `${name} hangs`, ms: HANGS_MS[name], start: wire.hang, end: wire.fix },
    ];
  });
  return [
    ...ofWires,
    ...(postgres ? [{ name: 'postgres stopped', ms, start: postgres.stop, end: postgres.start }] : []),
    ...(postgres ? [{ name: 'postgres killed', ms, start: postgres.kill, end: postgres.start }] : []),
    ...(s3 ? [{ name: 's3 killed', ms, start: s3.pause, end: s3.resume }] : []),
  ];
}

type Load = { isOver: boolean; acknowledged: number; refused: number; faults: Set<string> };

/** Checks a response during an outage: success, or 503 with Retry-After, in time. */
function checkResponse(load: Load, request: string, status: number, headers: Headers, ms: number): void {
  if (ms > MAX_WAIT_MS) load.faults.add(`${request} took ${Math.round(ms / 1000)} seconds`);
  if (status === 503 && headers.has('retry-after')) load.refused += 1;
  else if (status === 503) load.faults.add(`${request} returned 503 without Retry-After`);
  else if (status === 0) load.faults.add(`${request} got no complete response`);
  else if (status >= 500) load.faults.add(`${request} returned ${status}`);
}

async function publishOn({ client }: Arena, load: Load, next: () => Ref): Promise<void> {
  while (!load.isOver) {
    const ref = next();
    const began = performance.now();
    const { status, headers } = await client.upload(bundleOf(ref));
    checkResponse(load, 'a publish', status, headers, performance.now() - began);
    if (status === 201) load.acknowledged += 1;
    await sleep(RETRY_MS);
  }
}

async function readOn({ client }: Arena, load: Load, path: string): Promise<void> {
  while (!load.isOver) {
    const began = performance.now();
    const { status, headers } = await client.get(path);
    checkResponse(load, `GET ${path}`, status, headers, performance.now() - began);
    await sleep(RETRY_MS);
  }
}

/** Publishes until it works again, without a restart. Returns the time in milliseconds; null on a timeout. */
async function timeToRecover({ client, store }: Arena, next: () => Ref): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < RECOVERY_MS && !store.isGone()) {
    const { status } = await client.upload(bundleOf(next()));
    if (status === 201) return performance.now() - began;
    await sleep(RETRY_MS);
  }
  return null;
}

async function runOutage(arena: Arena, outage: Outage) {
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
  await outage.start();
  await sleep(outage.ms);
  await outage.end();
  const appId = newApp();
  const recoveryMs = await timeToRecover(arena, versionsOf(appId));
  load.isOver = true;
  await Promise.all(workers);
  const failures = [...load.faults];
  if (recoveryMs === null) failures.push(`a publish did not work again within ${RECOVERY_MS / 1000} seconds`);
  if (load.refused === 0) failures.push('no request was refused: there was no outage');
  failures.push(...(await arena.witness.faults(arena.client)));
  const counts = `${outage.name}: ${load.refused} × 503, ${load.acknowledged} acknowledged, recovered after ${Math.round(recoveryMs ?? 0)} ms`;
  return { counts, failures: failures.map((fault) => `${outage.name}: ${fault}`) };
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return experimentIn(backend, async (arena) => {
    const counts: string[] = [];
    const failures: string[] = [];
    for (const outage of outagesOf(backend, arena.site).slice(0, count)) {
      const result = await runOutage(arena, outage);
      counts.push(result.counts);
      failures.push(...result.failures);
    }
    failures.push(...(await finalCheck(arena)));
    return { counts: counts.join('; '), failures };
  });
}

/** Outages of PostgreSQL and S3 of every kind. `count` limits the kinds. */
export const away: Experiment = {
  name: 'away',
  backends: ['postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
