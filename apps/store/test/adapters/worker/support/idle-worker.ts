import { parentPort } from 'node:worker_threads';
import type { TextToRender } from '../../../../src/render/renderer.ts';

/** A thread that is given milliseconds, and waits for so long without working. */
parentPort?.on('message', ({ text }: TextToRender) => {
  parentPort?.postMessage({ stage: 'wait' });
  setTimeout(() => parentPort?.postMessage({ answer: `waited ${text} ms` }), Number(text));
});
