import { parentPort, workerData } from 'node:worker_threads';
import type { TextToRender } from '../../../../src/platform/renderer.ts';

/** Work before the first task, in milliseconds: what loading many modules takes. */
const { startMs = 0 }: { startMs?: number } = workerData ?? {};
for (const end = performance.now() + startMs; performance.now() < end; );

/** A thread that is given milliseconds, and waits for so long without working. */
parentPort?.on('message', ({ text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'wait' });
  setTimeout(() => parentPort?.postMessage({ answer: `waited ${text} ms` }), Number(text));
});
