import { parentPort, workerData } from 'node:worker_threads';
import { runCase } from './run-case.ts';

/** The cases of one thread: every `step`th seed from `first` on, before `end`. */
export interface Share {
  first: number;
  end: number;
  step: number;
  /** Two numbers for the parent to look at: the seed at work, and how many are done. */
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
