import { parentPort, workerData } from 'node:worker_threads';
import { runCase } from './run-case.ts';

/** The cases of one thread: every `step`th seed from `first` on, before `end`. */
export interface Share {
  first: number;
  end: number;
  step: number;
  /** Two numbers that the parent reads: the current seed, and the number of finished cases. */
  state: SharedArrayBuffer;
}

const { first, end, step, state } = workerData as Share;
const view = new Float64Array(state);
for (let seed = first; seed < end; seed += step) {
  view[0] = seed;
  const failure = runCase(seed);
  if (failure) parentPort?.postMessage(failure);
  view[1] = (view[1] ?? 0) + 1;
}
