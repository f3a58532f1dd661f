import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Client, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { lastLook } from './kill.ts';

/** Who works at once: publishers of updates, publishers of new apps, and moderators who let those in. */
const UPDATERS = 3;
const NEWCOMERS = 2;
const MODERATORS = 2;

/** Milliseconds from a start to a kill, at the most: some kills meet a store that is still busy with what was left. */
const MAX_LIFE_MS = 1_200;

type Load = { isOver: boolean; waiting: Ref[]; asked: number };

/** A store that is down is asked again shortly. */
const AGAIN_MS = 20;

async function update(load: Load, current: () => Client, next: () => Ref): Promise<void> {
  while (!load.isOver) {
    const ref = next();
    load.asked += 1;
    const { status } = await current().upload(bundleOf(ref));
    if (status === 0) await sleep(AGAIN_MS);
  }
}

async function bringNewApps(load: Load, current: () => Client): Promise<void> {
  while (!load.isOver) {
    const ref = { appId: newApp(), version: '1.0.0' };
    load.asked += 1;
    const { status } = await current().upload(bundleOf(ref));
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
    await current().approve(ref);
  }
}

async function killAtRandom(arena: Arena, { random, count }: Setup): Promise<void> {
  for (let kills = 0; kills < count; kills += 1) {
    await sleep(random.below(MAX_LIFE_MS));
    await arena.store.kill();
    await arena.restart();
  }
}

async function run(setup: Setup): Promise<Outcome> {
  return experimentIn(setup.backend, async (arena) => {
    const apps = Array.from({ length: UPDATERS }, newApp);
    for (const appId of apps) await publishFirst(arena.client, appId);
    const load: Load = { isOver: false, waiting: [], asked: 0 };
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
    return { counts: `${setup.count} kills, ${load.asked} requests`, failures: await lastLook(arena) };
  });
}

/** kill -9 at random moments while many publish and decide. `count` is kills. */
export const randomKill: Experiment = {
  name: 'random-kill',
  backends: ['sqlite', 'postgres', 's3'],
  count: 50,
  run,
};
