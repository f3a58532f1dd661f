import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export type ThreadPoolOptions = {
  /** The thread's source, beside this file, without its extension. */
  entry: string;
  workerData?: unknown;
  /** How many tasks are done at once; the others wait. */
  threads: number;
  /** What a task may take before its thread is ended, in milliseconds. */
  timeMs: number;
  heapMb: number;
};

type Waiting<T, A> = { task: T; resolve(answer: A): void; reject(error: unknown): void };

/** The same file beside this one, as source or as built. */
const urlOf = (entry: string): URL => new URL(`./${entry}${extname(import.meta.url)}`, import.meta.url);

function startWorker({ entry, workerData, heapMb }: ThreadPoolOptions): Worker {
  const worker = new Worker(urlOf(entry), { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  // An idle thread must not keep the process alive.
  worker.unref();
  return worker;
}

const endedEarly = (): never => {
  throw new Error('The thread ended before it answered.');
};

/** Hands one task to a thread and waits for its end, however it ends. Resolves with whether the thread can go on. */
async function runTask<T, A>(
  worker: Worker,
  { task, resolve, reject }: Waiting<T, A>,
  timeMs: number,
): Promise<boolean> {
  const over = new AbortController();
  const { signal } = over;
  const timer = setTimeout(() => over.abort(), timeMs);
  try {
    // Either rejects too when the thread throws, runs out of memory, or is out of time.
    const ends = [once(worker, 'message', { signal }), once(worker, 'exit', { signal }).then(endedEarly)];
    worker.postMessage(task);
    const [answer] = await Promise.race(ends);
    resolve(answer);
    return true;
  } catch (error) {
    reject(error);
    await worker.terminate();
    return false;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/**
 * Threads that start when they are first needed and do one task at a time, each a message answered by a message. A task
 * that crashes its thread, or takes too long or too much memory, fails alone.
 */
export function createThreadPool<T, A>(options: ThreadPoolOptions) {
  const waiting: Waiting<T, A>[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function nextWorker(): Worker | undefined {
    const held = idle.pop();
    if (held || all.size >= options.threads) return held;
    const made = startWorker(options);
    all.add(made);
    return made;
  }

  async function work(): Promise<void> {
    const worker = waiting.length > 0 ? nextWorker() : undefined;
    const next = worker && waiting.shift();
    if (!next) return;
    if (await runTask(worker, next, options.timeMs)) idle.push(worker);
    else all.delete(worker);
    await work();
  }

  return {
    run: (task: T): Promise<A> =>
      new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        void work();
      }),
    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
