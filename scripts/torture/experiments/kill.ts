import { setTimeout as sleep } from 'node:timers/promises';
import { type Action, actionsOn } from '../actions.ts';
import { type Arena, experimentIn } from '../arena.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { PHASES, type Phase } from '../preload/strike.ts';
import { isUnderWay, type Later } from '../promises.ts';
import type { Site } from '../site.ts';
import { findingsOf, leftBySweep, underWay } from '../soundness.ts';

type Strike = { step: number; phase: Phase; name: string };

/** A lease of ten seconds and a look each five, with room for a slow machine. */
const TAKEN_OVER_MS = 60_000;

const NOWHERE = { step: 0, phase: 'before', blow: 'kill', lasting: false } as const;

/** The steps that an action takes when it is left alone. */
export async function stepsOf({ store, client }: Arena, action: Action): Promise<string[]> {
  const ref = await action.prepare(client);
  await store.arm(NOWHERE);
  const { status } = await action.act(client, ref);
  const { steps } = await store.disarm();
  if (status >= 300) throw new Error(`${action.name} was answered ${status} when nothing was struck.`);
  return steps;
}

/** A call into SQLite is over when it returns: there is no moment of ours within it. */
const phasesOf = (name: string): readonly Phase[] =>
  name.startsWith('sqlite') ? ['before', 'after'] : PHASES;

const strikesOn = (steps: readonly string[]): Strike[] =>
  steps.flatMap((name, index) => phasesOf(name).map((phase) => ({ step: index + 1, phase, name })));

/** Kills the store at one moment of an action, starts it again, and looks at what is left. */
async function killAt(arena: Arena, action: Action, { step, phase }: Strike) {
  const ref = await action.prepare(arena.client);
  await arena.store.arm({ step, phase, blow: 'kill', lasting: false });
  const answer = await action.act(arena.client, ref);
  // What runs side by side does not always come in the same order, so the last steps may not be reached.
  const report = await arena.store.disarm().catch(() => null);
  if (report === null) await arena.restart();
  const isAcknowledged = answer.status === 200 || answer.status === 201;
  const settle = () => action.settle(arena.client, ref, isAcknowledged);
  // What the dead held a lease on is taken over when that has run out: those waits are one, at the end.
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

/** A last look at everything: nothing is left over after the sweep, nor half done or lost after a start. */
export async function lastLook(arena: Arena): Promise<string[]> {
  await arena.store.stop();
  const left = await leftBySweep(arena.site);
  await arena.restart();
  const { faults } = await findingsOf(arena.site, 'bytes');
  return [...left, ...faults, ...(await leftUnderWay(arena.site))];
}

/** What is under way still when everybody's lease has run out and has been taken over. */
async function leftUnderWay(site: Site): Promise<string[]> {
  const deadline = performance.now() + TAKEN_OVER_MS;
  for (;;) {
    const left = await underWay(site);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(100);
  }
}

async function killDuring(arena: Arena, action: Action, { random, count, step }: Setup, later: Later[]) {
  const all = strikesOn(await stepsOf(arena, action)).filter((one) => step === null || one.step === step);
  const chosen = Number.isFinite(count) ? Array.from({ length: count }, () => random.of(all)) : all;
  const failures: string[] = [];
  let kills = 0;
  let orphans = 0;
  for (const strike of chosen) {
    const seen = await killAt(arena, action, strike);
    if (seen.isKilled) kills += 1;
    orphans = Math.max(orphans, seen.orphans);
    const where = `${action.name}, --step ${strike.step} (${strike.name}), ${strike.phase}`;
    const told = (faults: string[]) => faults.map((fault) => `${where}: ${fault}`);
    failures.push(...told(seen.faults));
    const { later: look } = seen;
    if (look) later.push(async () => told(await look()));
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
    failures.push(...(await lastLook(arena)));
    return {
      counts: `killed ${counts.join(', ')}; ${later.length} taken over, at most ${orphans} orphans at a time`,
      failures,
    };
  });
}

/** kill -9 at every step of every move, before, half way through, and after. `count` strikes of each when it is finite. */
export const kill: Experiment = {
  name: 'kill',
  backends: ['sqlite', 'postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
