import type { Memory } from './memory.ts';

/** Where a step is struck: before anything happened, half way through it, or when all of it has happened. */
export const PHASES = ['before', 'during', 'after'] as const;
export type Phase = (typeof PHASES)[number];

/** What a struck step fails with, in the words of errno; each kind of step has its own form of it. */
export const FAULTS = ['ENOSPC', 'EIO', 'EDQUOT'] as const;
export type Fault = (typeof FAULTS)[number];

/** What to do to a process, and at which of the steps it takes from now on, counted from 1. */
export type Order = {
  step: number;
  phase: Phase;
  /** SIGKILL, or an error instead of the step's result. */
  blow: 'kill' | Fault;
  /** Whether all later steps are struck too, as on a disk that stays full. */
  lasting: boolean;
};

/** What the process under torture is told, and what it tells. */
export type Command =
  | { order: Order }
  | { report: true }
  | { shiftMs: number }
  | { memory: true }
  | { snapshot: string };
export type Reply = { ready: true } | { steps: string[]; struck: string | null } | { memory: Memory };

/** How a kind of step is done by half, and how it fails. */
export type Ways<T> = {
  run(): T;
  /** Does a part of the step and returns what the system would: a short write. Steps without one cannot be cut. */
  half?: (() => T) | undefined;
  fail(fault: Fault): unknown;
};

let order: Order | null = null;
let steps: string[] = [];
let struck: string | null = null;

/** Counts steps again from now on, and strikes as ordered. */
export function arm(next: Order): void {
  order = next;
  steps = [];
  struck = null;
}

/** Lets the process be, and tells what it did since it was armed. */
export function disarm(): { steps: string[]; struck: string | null } {
  order = null;
  return { steps, struck };
}

function takeStep(name: string): Order | null {
  if (!order) return null;
  steps.push(name);
  const isHit = order.lasting ? steps.length >= order.step : steps.length === order.step;
  if (!isHit) return null;
  struck ??= `step ${steps.length} (${name}), ${order.phase}, ${order.blow}`;
  return order;
}

/** Nothing after this runs: SIGKILL to oneself is delivered before the call returns. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('A process outlived SIGKILL.');
}

const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

async function beginAndDie<T>({ run, half }: Ways<Promise<T>>): Promise<never> {
  if (half) await half();
  else await Promise.race([run().catch(() => {}), aMoment()]);
  return die();
}

/** Takes a step that takes time, or strikes it. */
export async function around<T>(name: string, ways: Ways<Promise<T>>): Promise<T> {
  const hit = takeStep(name);
  if (!hit) return ways.run();
  if (hit.blow === 'kill') {
    if (hit.phase === 'before') die();
    if (hit.phase === 'during') return beginAndDie(ways);
    await ways.run();
    return die();
  }
  if (hit.phase === 'during' && ways.half) return ways.half();
  if (hit.phase === 'after') await ways.run();
  throw await ways.fail(hit.blow);
}

/** Takes a step that is over when it returns, or strikes it; there is no moment within it. */
export function aroundSync<T>(name: string, { run, fail }: Ways<T>): T {
  const hit = takeStep(name);
  if (!hit) return run();
  if (hit.phase !== 'after') {
    if (hit.blow === 'kill') die();
    throw fail(hit.blow);
  }
  run();
  if (hit.blow === 'kill') die();
  throw fail(hit.blow);
}
