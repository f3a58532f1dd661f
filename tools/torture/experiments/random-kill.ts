import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, type Client, type Ref } from '../client.ts';
import { type Dues, withDues } from '../dues.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { finalCheck } from './kill.ts';

/** Concurrent workers: publishers of updates, publishers of new apps, and moderators who approve those. */
const UPDATERS = 3;
const NEWCOMERS = 2;
const MODERATORS = 2;

/** Pause between two reports: a user may report ten times a day. */
const REPORT_MS = 150;

/** Maximum time from a start to a kill in milliseconds: some kills hit a store that is still recovering. */
const MAX_LIFE_MS = 1_200;

type Load = { isOver: boolean; waiting: Ref[]; requests: number };

/** Pause before retrying when the store is down. */
const RETRY_MS = 20;

async function update(load: Load, current: () => Client, next: () => Ref): Promise<void> {
  while (!load.isOver) {
    const ref = next();
    load.requests += 1;
    const { status } = await current().upload(bundleOf(ref));
    if (status === 0) await sleep(RETRY_MS);
  }
}

async function publishNewApps(load: Load, current: () => Client): Promise<void> {
  while (!load.isOver) {
    const ref = { appId: newApp(), version: '1.0.0' };
    load.requests += 1;
    const { status } = await current().upload(bundleOf(ref));
    if (status === 201) load.waiting.push(ref);
    await sleep(RETRY_MS);
  }
}

async function moderate(load: Load, current: () => Client): Promise<void> {
  while (!load.isOver) {
    const ref = load.waiting.shift();
    if (!ref) {
      await sleep(RETRY_MS);
      continue;
    }
    load.requests += 1;
    await current().approve(ref);
  }
}

async function report(load: Load, arena: Arena, dues: Dues): Promise<void> {
  while (!load.isOver) {
    const refs = arena.witness.acknowledged('published');
    const ref = refs[load.requests % refs.length];
    if (ref) {
      load.requests += 1;
      if ((await dues.report(arena, ref)) === null) return;
    }
    await sleep(REPORT_MS);
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
  return withDues((dues) =>
    experimentIn(dues.on(setup.backend), async (arena) => {
      await dues.open(arena.site);
      const apps = Array.from({ length: UPDATERS }, newApp);
      for (const appId of apps) await publishFirst(arena.client, appId);
      const load: Load = { isOver: false, waiting: [], requests: 0 };
      const current = () => arena.client;
      const workers = [
        ...apps.map((appId) => update(load, current, versionsOf(appId))),
        ...Array.from({ length: NEWCOMERS }, () => publishNewApps(load, current)),
        ...Array.from({ length: MODERATORS }, () => moderate(load, current)),
        report(load, arena, dues),
      ];
      try {
        await killAtRandom(arena, setup);
      } finally {
        load.isOver = true;
        await Promise.all(workers);
      }
      const failures = [...(await finalCheck(arena)), ...(await dues.faults(arena))];
      return { counts: `${setup.count} kills, ${load.requests} requests, ${dues.count()}`, failures };
    }),
  );
}

/** kill -9 at random moments under concurrent publishing and decisions. `count` is the kills. */
export const randomKill: Experiment = {
  name: 'random-kill',
  backends: ['sqlite', 'postgres', 's3'],
  count: 50,
  run,
};
