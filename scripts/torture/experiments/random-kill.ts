import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, inArena, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Client, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { faultsOfPublished, settledState } from '../promises.ts';
import { lastLook } from './kill.ts';

/** Who works at once: publishers of updates, publishers of new apps, and moderators who let those in. */
const UPDATERS = 3;
const NEWCOMERS = 2;
const MODERATORS = 2;

/** Milliseconds from a start to a kill, at the most: some kills meet a store that is still busy with what was left. */
const MAX_LIFE_MS = 1_200;

/** What somebody was promised: `published` and `in_review` by a 201, `approved` by the answer to a decision. */
type Promised = { ref: Ref; what: 'published' | 'in_review' | 'approved' };

type Load = { isOver: boolean; promised: Promised[]; waiting: Ref[]; asked: number };

/** A store that is down is asked again shortly. */
const AGAIN_MS = 20;

async function update(load: Load, current: () => Client, next: () => Ref): Promise<void> {
  while (!load.isOver) {
    const ref = next();
    load.asked += 1;
    const { status } = await current().upload(bundleOf(ref));
    if (status === 201) load.promised.push({ ref, what: 'published' });
    if (status === 0) await sleep(AGAIN_MS);
  }
}

async function bringNewApps(load: Load, current: () => Client): Promise<void> {
  while (!load.isOver) {
    const ref = { appId: newApp(), version: '1.0.0' };
    load.asked += 1;
    const { status } = await current().upload(bundleOf(ref));
    if (status === 201) load.promised.push({ ref, what: 'in_review' });
    if (status === 201) load.waiting.push(ref);
    await sleep(AGAIN_MS);
  }
}

async function moderate(load: Load, current: () => Client): Promise<void> {
  while (!load.isOver) {
    const ref = load.waiting.shift();
    if (!ref) {
      await sleep(AGAIN_MS);
      continue;
    }
    load.asked += 1;
    const { status } = await current().approve(ref);
    if (status === 200) load.promised.push({ ref, what: 'approved' });
  }
}

async function killAtRandom(arena: Arena, { random, count }: Setup): Promise<void> {
  for (let kills = 0; kills < count; kills += 1) {
    await sleep(random.below(MAX_LIFE_MS));
    await arena.store.kill();
    await arena.restart();
  }
}

async function broken(client: Client, { ref, what }: Promised): Promise<string[]> {
  const state = await settledState(client, ref);
  if (what === 'in_review' && (state === 'in_review' || state === 'published')) return [];
  if (what === 'in_review') return [`${ref.appId} was taken for review, and is ${state ?? 'lost'}`];
  return faultsOfPublished(client, ref, bundleOf(ref));
}

async function run(setup: Setup): Promise<Outcome> {
  return inArena(setup.backend, async (arena) => {
    const apps = Array.from({ length: UPDATERS }, newApp);
    for (const appId of apps) await publishFirst(arena.client, appId);
    const load: Load = { isOver: false, promised: [], waiting: [], asked: 0 };
    const current = () => arena.client;
    const workers = [
      ...apps.map((appId) => update(load, current, versionsOf(appId))),
      ...Array.from({ length: NEWCOMERS }, () => bringNewApps(load, current)),
      ...Array.from({ length: MODERATORS }, () => moderate(load, current)),
    ];
    try {
      await killAtRandom(arena, setup);
    } finally {
      load.isOver = true;
      await Promise.all(workers);
    }
    const failures = await lastLook(arena);
    for (const promised of load.promised) failures.push(...(await broken(arena.client, promised)));
    const counts = `${setup.count} kills, ${load.asked} requests, ${load.promised.length} acknowledged`;
    return { counts, failures };
  });
}

/** kill -9 at random moments while many publish and decide. `count` is kills. */
export const randomKill: Experiment = {
  name: 'random-kill',
  backends: ['sqlite', 'postgres', 's3'],
  count: 50,
  run,
};
