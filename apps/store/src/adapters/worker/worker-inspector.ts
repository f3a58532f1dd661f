import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BundleInspector } from '../../publishing/admit-bundle.ts';
import type { Inspection } from '../../publishing/inspect-bundle.ts';

/** What an inspection may take before its thread is ended. */
const LIMITS = { timeMs: 30_000, heapMb: 256 };

type Task = { file: string; resolve(inspection: Inspection): void; reject(error: Error): void };

/** The same file beside this one, as source or as built. */
const entry = (): URL => new URL(`./inspection-worker${extname(import.meta.url)}`, import.meta.url);

const startWorker = (reservedNames: readonly string[]): Worker => {
  const worker = new Worker(entry(), {
    workerData: { reservedNames },
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.heapMb },
  });
  // An idle thread must not keep the process alive.
  worker.unref();
  return worker;
};

const endedEarly = (): never => {
  throw new Error('The thread ended before it answered.');
};

/** Hands one task to a thread and waits for its end, however it ends. Resolves with whether the thread can go on. */
async function runTask(worker: Worker, { file, resolve, reject }: Task): Promise<boolean> {
  const over = new AbortController();
  const { signal } = over;
  const timer = setTimeout(() => over.abort(), LIMITS.timeMs);
  try {
    // Either rejects too when the thread throws, runs out of memory, or is out of time.
    const ends = [once(worker, 'message', { signal }), once(worker, 'exit', { signal }).then(endedEarly)];
    worker.postMessage(file);
    const [inspection] = await Promise.race(ends);
    resolve(inspection);
    return true;
  } catch (error) {
    reject(new Error('Inspecting a bundle failed.', { cause: error }));
    await worker.terminate();
    return false;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/**
 * Inspects bundles in threads of their own, which start when they are first needed. A bundle that crashes its thread, or
 * takes too long or too much memory, is an error for its own upload and for no other.
 * @param threads how many bundles are inspected at once; the others wait
 */
export function createWorkerInspector(options: {
  reservedNames: readonly string[];
  threads: number;
}): BundleInspector & {
  close(): Promise<void>;
} {
  const waiting: Task[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function nextWorker(): Worker | undefined {
    const held = idle.pop();
    if (held || all.size >= options.threads) return held;
    const made = startWorker(options.reservedNames);
    all.add(made);
    return made;
  }

  async function work(): Promise<void> {
    const worker = waiting.length > 0 ? nextWorker() : undefined;
    const task = worker && waiting.shift();
    if (!task) return;
    if (await runTask(worker, task)) idle.push(worker);
    else all.delete(worker);
    await work();
  }

  return {
    inspect: (file) =>
      new Promise((resolve, reject) => {
        waiting.push({ file, resolve, reject });
        void work();
      }),
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
