import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel } from 'node:worker_threads';

/** What a process has in memory, in bytes. */
export type Memory = {
  /** Resident memory that belongs to no file, with the garbage that V8 has not collected yet. */
  before: number;
  /** The same after a full collection in every thread: what lives, what native code holds, and what cannot be given back. */
  after: number;
  /** Objects of the first thread that live. */
  heap: number;
  /** What lives outside of that heap for objects in it, buffers above all. */
  external: number;
};

/** How long the other threads may take to collect, in milliseconds: one in the middle of a bundle does it afterwards. */
const COLLECTED_MS = 1_000;

setFlagsFromString('--expose-gc');
const gc: (options: object) => void = runInNewContext('gc');

/** As thorough as V8 is before it gives up for want of memory: what is free goes back to the system. */
const collect = (): void => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

const channel = new BroadcastChannel('torture-memory');
// Being asked is no reason to stay alive.
channel.unref();

/** Has a thread other than the first collect when the first one does. */
export function collectWhenAsked(): void {
  channel.onmessage = collect;
}

/** Resident memory without the pages of files, which the system takes back when it wants them (proc_pid_status(5)). */
const anonymous = (): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

/** Collects in every thread, and tells what is left. */
export async function measureMemory(): Promise<Memory> {
  const before = anonymous();
  channel.postMessage('collect');
  await sleep(COLLECTED_MS);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { before, after: anonymous(), heap: heapUsed, external };
}

/** Writes all objects of the first thread to a file that Chromium's developer tools open. */
export const writeSnapshot = (file: string): void => void writeHeapSnapshot(file);
