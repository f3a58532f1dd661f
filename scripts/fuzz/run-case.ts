import fc from 'fast-check';
import { partOf } from './parts.ts';
import { type Part, promise } from './promise.ts';

/** Longest that one case may take, in milliseconds of this thread's own time: all inputs are small. */
const MAX_MS = 2_000;
/** How long to look for a smaller input that fails likewise. */
const SHRINK_MS = 20_000;

/** What came of a case that did not keep a promise. */
export interface Failure {
  seed: number;
  part: string;
  message: string;
  /** The smallest input found that fails likewise; undefined when it was lost. */
  file: Uint8Array | undefined;
}

/** Makes the input that a seed stands for and checks it. Gives undefined when all promises are kept. */
export function runCase<Input>(
  seed: number,
  part: Part<Input> = partOf(seed),
  mostMs = MAX_MS,
): Failure | undefined {
  const property = fc.property(part.inputs, (input) => {
    const started = cpuMs();
    part.check(input);
    const took = cpuMs() - started;
    promise(took <= mostMs, `it took ${Math.round(took)} ms`);
  });
  const result = fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
  if (!result.failed || result.counterexample === null) return undefined;
  const error = result.errorInstance;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { seed, part: part.name, message, file: part.toFile(result.counterexample[0]) };
}

/** Time that this thread has worked, so that a busy machine makes no case slow. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
