import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel } from 'node:worker_threads';

/** Memory of a process, in bytes. */
export type Memory = {
  /** Anonymous resident memory, including garbage that V8 has not collected yet. */
  before: number;
  /** The same after a full garbage collection in every thread. */
  after: number;
  /** Live objects of the main thread. */
  heap: number;
  /** External memory of these objects, mainly buffers. */
  external: number;
};

/** Timeout for garbage collection in other threads, in milliseconds: a busy thread collects later. */
const COLLECTED_MS = 1_000;

setFlagsFromString('--expose-gc');
const gc: (options: object) => void = runInNewContext('gc');

/** A last-resort garbage collection, which returns free memory to the system. */
const collect = (): void => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

const channel = new BroadcastChannel('torture-memory');
// The channel must not keep the process alive.
channel.unref();

/** Makes a worker thread collect garbage when the main thread does. */
export function collectWhenAsked(): void {
  channel.onmessage = collect;
}

/** Anonymous resident memory: without file pages, which the system can reclaim (proc_pid_status(5)). */
const anonymous = (): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

/** Collects garbage in every thread, and measures the remaining memory. */
export async function measureMemory(): Promise<Memory> {
  const before = anonymous();
  channel.postMessage('collect');
  await sleep(COLLECTED_MS);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { before, after: anonymous(), heap: heapUsed, external };
}

/** Writes a heap snapshot of the main thread for Chromium's developer tools. */
export const writeSnapshot = (file: string): void => void writeHeapSnapshot(file);
