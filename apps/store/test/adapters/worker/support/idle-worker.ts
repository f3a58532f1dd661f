import { parentPort, workerData } from 'node:worker_threads';
import type { TextToRender } from '../../../../src/platform/renderer.ts';

type Start = {
  /** Work before the thread is ready, in milliseconds: what loading many modules takes. */
  startMs?: number;
  /** Counts the threads that start; those after the first are never ready. */
  started?: Int32Array<SharedArrayBuffer>;
};

const { startMs = 0, started }: Start = workerData ?? {};
for (const end = performance.now() + startMs; performance.now() < end; );
if (started && Atomics.add(started, 0, 1) > 0) Atomics.wait(started, 1, 0);

/** A thread that is given milliseconds, and waits for so long without working. */
parentPort?.on('message', ({ text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'wait' });
  setTimeout(() => parentPort?.postMessage({ answer: `waited ${text} ms` }), Number(text));
});

parentPort?.postMessage({ ready: true });
