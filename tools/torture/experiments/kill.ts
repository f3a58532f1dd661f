import { setTimeout as sleep } from 'node:timers/promises';
import { type Action, actionsOn } from '../actions.ts';
import { type Arena, experimentIn } from '../arena.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { PHASES, type Phase } from '../preload/strike.ts';
import { isUnderWay, type Later } from '../promises.ts';
import type { Site } from '../site.ts';
import { findingsOf, leftBySweep, underWay } from '../soundness.ts';

type Strike = { step: number; phase: Phase; name: string };

/** A lease of ten seconds and a poll every five, with a margin for slow machines. */
const TAKEN_OVER_MS = 60_000;

const NOWHERE = { step: 0, phase: 'before', blow: 'kill', lasting: false } as const;

/** The steps of an action without faults. */
export async function stepsOf({ store, client }: Arena, action: Action): Promise<string[]> {
  const ref = await action.prepare(client);
  await store.arm(NOWHERE);
  const { status } = await action.act(client, ref);
  const { steps } = await store.disarm();
  if (status >= 300) throw new Error(`${action.name} returned ${status} without a fault.`);
  return steps;
}

/** A SQLite call is synchronous: nothing can be injected during it. */
const phasesOf = (name: string): readonly Phase[] =>
  name.startsWith('sqlite') ? ['before', 'after'] : PHASES;

const strikesOn = (steps: readonly string[]): Strike[] =>
  steps.flatMap((name, index) => phasesOf(name).map((phase) => ({ step: index + 1, phase, name })));

/** Kills the store at one step of an action, restarts it, and checks the result. */
async function killAt(arena: Arena, action: Action, { step, phase }: Strike) {
  const ref = await action.prepare(arena.client);
  await arena.store.arm({ step, phase, blow: 'kill', lasting: false });
  const answer = await action.act(arena.client, ref);
  // Concurrent steps do not always come in the same order, so the last steps may not be reached.
  const report = await arena.store.disarm().catch(() => null);
  if (report === null) await arena.restart();
  const isAcknowledged = answer.status === 200 || answer.status === 201;
  const settle = () => action.settle(arena.client, ref, isAcknowledged);
  // Leases of the dead process must expire first: wait for all of them once, at the end.
  const later = (await isUnderWay(arena.client, ref)) ? settle : null;
  const faults = later ? [] : await settle();
  const findings = await findingsOf(arena.site, 'names');
  return {
    isKilled: report === null,
    faults: [...faults, ...findings.faults],
    orphans: findings.orphans,
    later,
  };
}

/** Final checks: no leftovers after a sweep, and nothing unfinished or lost after a restart. */
export async function finalCheck(arena: Arena): Promise<string[]> {
  await arena.store.stop();
  const leftovers = await leftBySweep(arena.site);
  await arena.restart();
  const { faults } = await findingsOf(arena.site, 'bytes');
  return [...leftovers, ...faults, ...(await leftUnderWay(arena.site))];
}

/** Versions that are still unfinished after all leases have expired. */
async function leftUnderWay(site: Site): Promise<string[]> {
  const deadline = performance.now() + TAKEN_OVER_MS;
  for (;;) {
    const unfinished = await underWay(site);
    if (unfinished.length === 0 || performance.now() > deadline) return unfinished;
    await sleep(100);
  }
}

async function killDuring(arena: Arena, action: Action, { random, count, step }: Setup, later: Later[]) {
  const all = strikesOn(await stepsOf(arena, action)).filter(
    (strike) => step === null || strike.step === step,
  );
  const chosen = Number.isFinite(count) ? Array.from({ length: count }, () => random.of(all)) : all;
  const failures: string[] = [];
  let kills = 0;
  let orphans = 0;
  for (const strike of chosen) {
    const seen = await killAt(arena, action, strike);
    if (seen.isKilled) kills += 1;
    orphans = Math.max(orphans, seen.orphans);
    const where = `${action.name}, --step ${strike.step} (${strike.name}), ${strike.phase}`;
    const withPlace = (faults: string[]) => faults.map((fault) => `${where}: ${fault}`);
    failures.push(...withPlace(seen.faults));
    const { later: look } = seen;
    if (look) later.push(async () => withPlace(await look()));
  }
  if (kills === 0) failures.push(`${action.name}: no kill met its step`);
  return { failures, kills, orphans };
}

async function run(setup: Setup): Promise<Outcome> {
  return experimentIn(setup.backend, async (arena) => {
    const counts: string[] = [];
    const failures: string[] = [];
    const later: Later[] = [];
    let orphans = 0;
    for (const action of await actionsOn(arena.client)) {
      const seen = await killDuring(arena, action, setup, later);
      counts.push(`${seen.kills} in ${action.name}`);
      failures.push(...seen.failures);
      orphans = Math.max(orphans, seen.orphans);
    }
    for (const look of later) failures.push(...(await look()));
    failures.push(...(await finalCheck(arena)));
    return {
      counts: `killed ${counts.join(', ')}; ${later.length} taken over, at most ${orphans} orphans at a time`,
      failures,
    };
  });
}

/** kill -9 at every step of every action: before, during, and after it. `count` limits the kills of each action. */
export const kill: Experiment = {
  name: 'kill',
  backends: ['sqlite', 'postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
