import fc from 'fast-check';
import { partOf } from './parts.ts';
import { type Part, promise } from './promise.ts';

/** Maximum CPU time of a case in milliseconds: all inputs are small. */
const MAX_MS = 2_000;
/** Time limit for shrinking a failing input. */
const SHRINK_MS = 20_000;

/** A failed case. */
export interface Failure {
  seed: number;
  part: string;
  message: string;
  /** The smallest failing input found; undefined when it was lost. */
  file: Uint8Array | undefined;
}

/** Generates the input of a seed and checks it. Returns undefined when the case passes. */
export function runCase<Input>(
  seed: number,
  part: Part<Input> = partOf(seed),
  maxMs = MAX_MS,
): Failure | undefined {
  const property = fc.property(part.inputs, (input) => {
    const started = cpuMs();
    part.check(input);
    const elapsedMs = cpuMs() - started;
    promise(elapsedMs <= maxMs, `it took ${Math.round(elapsedMs)} ms`);
  });
  const result = fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
  if (!result.failed || result.counterexample === null) return undefined;
  const error = result.errorInstance;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { seed, part: part.name, message, file: part.toFile(result.counterexample[0]) };
}

/** CPU time of this thread, which does not depend on the load of the machine. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
