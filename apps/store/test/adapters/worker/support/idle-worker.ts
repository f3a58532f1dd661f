import { parentPort, workerData } from 'node:worker_threads';
import type { TextToRender } from '../../../../src/platform/renderer.ts';

type Start = {
  /** Simulated start of the thread, such as loading many modules, in milliseconds. */
  startMs?: number;
  /** Counts the threads that start; all but the first never become ready. */
  started?: Int32Array<SharedArrayBuffer>;
};

const { startMs = 0, started }: Start = workerData ?? {};
for (const end = performance.now() + startMs; performance.now() < end; );
if (started && Atomics.add(started, 0, 1) > 0) Atomics.wait(started, 1, 0);

/** A thread that waits for the given milliseconds without using CPU time. */
parentPort?.on('message', ({ text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'wait' });
  setTimeout(() => parentPort?.postMessage({ answer: `waited ${text} ms` }), Number(text));
});

parentPort?.postMessage({ ready: true });
