import { type Action, actionsOn } from '../actions.ts';
import { type Arena, experimentIn, newApp, restart } from '../arena.ts';
import { bundleOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Fault, Order } from '../preload/strike.ts';
import { faultsOfReviewed, isUnderWay, type Later } from '../promises.ts';
import { findingsOf } from '../soundness.ts';
import { finalCheck, stepsOf } from './kill.ts';

/** Errors reported after a step has succeeded. A failed SQLite commit is rolled back; a PostgreSQL commit may be done but not reported. */
function faultsAfter(name: string): Fault[] {
  if (name.startsWith('postgres')) return ['EDQUOT'];
  return name === 'sqlite commit' ? [] : ['EIO'];
}

/** Faults of a step: nothing done, partly done, or done but reported as failed; once, or from then on. */
function ordersFor(name: string, step: number): Order[] {
  const once = { step, lasting: false };
  const isWrite = name.startsWith('write');
  return [
    { ...once, phase: 'before', blow: 'ENOSPC' },
    { ...once, phase: 'before', blow: 'EIO' },
    { ...once, phase: 'before', blow: 'EDQUOT' },
    ...faultsAfter(name).map((blow) => ({ ...once, phase: 'after', blow }) as const),
    { step, lasting: true, phase: 'before', blow: 'ENOSPC' },
    ...(isWrite ? [{ ...once, phase: 'during', blow: 'ENOSPC' } as const] : []),
  ];
}

type Struck = { faults: string[]; isStruck: boolean; isRefused: boolean; later: Later | null };

/** Makes one step fail. The store must report it, keep its guarantees, stay alive, and handle the next request. */
async function failAt(arena: Arena, action: Action, order: Order): Promise<Struck> {
  const { store, client, site } = arena;
  const ref = await action.prepare(client);
  await store.arm(order);
  const answer = await action.act(client, ref);
  const report = await store.disarm().catch(() => null);
  if (report === null) {
    await arena.restart();
    return { faults: ['the store crashed'], isStruck: true, isRefused: false, later: null };
  }
  const isAcknowledged = answer.status === 200 || answer.status === 201;
  const faults: string[] = [];
  if (!isAcknowledged && answer.status < 500) faults.push(`it returned ${answer.status} ${answer.body.code}`);
  if (answer.status === 503 && !answer.headers.has('retry-after')) faults.push('503 without Retry-After');
  if (answer.body.status === 'in_review')
    faults.push(...(await faultsOfReviewed(client, ref, bundleOf(ref))));
  faults.push(...(await findingsOf(site, 'names')).faults);
  const settle = () => action.settle(arena.client, ref, isAcknowledged);
  const seen = { isStruck: report.struck !== null, isRefused: !isAcknowledged };
  if (await isUnderWay(client, ref)) return { ...seen, faults, later: settle };
  return { ...seen, faults: [...faults, ...(await settle())], later: null };
}

/** Whether not even a new app can be uploaded; then restarts the store. */
async function isBroken(arena: Arena): Promise<boolean> {
  const { status } = await arena.client.upload(bundleOf({ appId: newApp(), version: '1.0.0' }));
  if (status === 201) return false;
  await restart(arena);
  return true;
}

/** The faults of the next action of this kind, without fault injection. */
async function faultsOfNext(arena: Arena, action: Action): Promise<string[]> {
  if (await isBroken(arena)) return ['the store no longer works and was restarted'];
  const ref = await action.prepare(arena.client);
  const { status, body } = await action.act(arena.client, ref);
  if (status !== 200 && status !== 201) return [`the next one returned ${status} ${body.code}`];
  return action.settle(arena.client, ref, true);
}

type Blow = { order: Order; name: string };

const placeOf = (action: Action, { order: { step, phase, blow, lasting }, name }: Blow): string =>
  `${action.name}, --step ${step} (${name}), ${phase}, ${blow}${lasting ? ' from then on' : ''}`;

async function blowsOn(arena: Arena, action: Action, { random, count, step }: Setup): Promise<Blow[]> {
  const all = (await stepsOf(arena, action))
    .flatMap((name, index) => ordersFor(name, index + 1).map((order) => ({ order, name })))
    .filter(({ order }) => step === null || order.step === step);
  return Number.isFinite(count) ? Array.from({ length: count }, () => random.of(all)) : all;
}

async function failDuring(arena: Arena, action: Action, setup: Setup, later: Later[]) {
  const blows = await blowsOn(arena, action, setup);
  const failures: string[] = [];
  let refused = 0;
  let struck = 0;
  for (const blow of blows) {
    const place = placeOf(action, blow);
    const withPlace = (faults: string[]) => faults.map((fault) => `${place}: ${fault}`);
    const seen = await failAt(arena, action, blow.order);
    if (seen.isRefused) refused += 1;
    if (seen.isStruck) struck += 1;
    failures.push(...withPlace([...seen.faults, ...(await faultsOfNext(arena, action))]));
    const { later: look } = seen;
    if (look) later.push(async () => withPlace(await look()));
  }
  if (struck === 0) failures.push(`${action.name}: no fault met its step`);
  return { failures, counts: `${struck} in ${action.name} (${refused} refused)` };
}

async function run(setup: Setup): Promise<Outcome> {
  return experimentIn(setup.backend, async (arena) => {
    const counts: string[] = [];
    const failures: string[] = [];
    const later: Later[] = [];
    for (const action of await actionsOn(arena.client)) {
      const seen = await failDuring(arena, action, setup, later);
      counts.push(seen.counts);
      failures.push(...seen.failures);
    }
    for (const look of later) failures.push(...(await look()));
    failures.push(...(await finalCheck(arena)));
    return { counts: `${counts.join(', ')}; ${later.length} resumed later`, failures };
  });
}

/** Full disks, I/O errors, quotas and short writes at every step, once and lasting. `count` limits the faults of each action. */
export const faults: Experiment = {
  name: 'faults',
  backends: ['sqlite', 'postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
