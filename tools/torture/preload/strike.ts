import type { Memory } from './memory.ts';

/** When a fault hits a step: before it, half way through it, or after it. */
export const PHASES = ['before', 'during', 'after'] as const;
export type Phase = (typeof PHASES)[number];

/** The errno of a fault; each kind of step maps it to its own error. */
export const FAULTS = ['ENOSPC', 'EIO', 'EDQUOT'] as const;
export type Fault = (typeof FAULTS)[number];

/** The fault to inject, and at which of the following steps, counted from 1. */
export type Order = {
  step: number;
  phase: Phase;
  /** SIGKILL, or an error instead of the step's result. */
  blow: 'kill' | Fault;
  /** Whether all later steps fail too, as on a full disk. */
  lasting: boolean;
};

/** Messages to and from the process under test. */
export type Command =
  | { order: Order }
  | { report: true }
  | { shiftMs: number }
  | { memory: true }
  | { snapshot: string };
export type Reply = { ready: true } | { steps: string[]; struck: string | null } | { memory: Memory };

/** How a kind of step is half done, and how it fails. */
export type Ways<T> = {
  run(): T;
  /** Does a part of the step and returns the result of the system: a short write. Other steps cannot be cut. */
  half?: (() => T) | undefined;
  fail(fault: Fault): unknown;
};

let order: Order | null = null;
let steps: string[] = [];
let struck: string | null = null;

/** Starts counting steps, and injects the ordered fault. */
export function arm(next: Order): void {
  order = next;
  steps = [];
  struck = null;
}

/** Stops injecting faults, and reports the steps since `arm`. */
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

/** Nothing after this runs: SIGKILL to the own process is delivered before the call returns. */
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

/** Runs an asynchronous step, or injects the fault. */
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

/** Runs a synchronous step, or injects the fault before or after it. */
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
