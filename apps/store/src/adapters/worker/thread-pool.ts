import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { OverrunError } from '../../platform/overrun-error.ts';

export type ThreadPoolOptions = {
  /** The thread's source, beside this file, without its extension. */
  entry: string;
  workerData?: unknown;
  /** How many tasks are done at once; the others wait. */
  threads: number;
  /**
   * How long a task waits for a thread that runs before another is started for it, in milliseconds; that thread ends when
   * nothing waits any more. 0 when left out. For tasks that are quickly done and take much memory.
   */
  spareAfterMs?: number;
  /** What a task may take before its thread is ended, in milliseconds of processor time: see `limitWork`. */
  timeMs: number;
  heapMb: number;
};

/** What a thread says: that it begins with a part of its task, at least with the first, and at last the answer. */
export type Said<A> = { stage: string } | { answer: A };

/** What single stages may take, in milliseconds of processor time, by their names. */
type StageLimits = Readonly<Record<string, number>>;

type Waiting<T, A> = {
  task: T;
  stages: StageLimits;
  /** When it came, as `performance.now` tells it. */
  since: number;
  resolve(answer: A): void;
  reject(error: unknown): void;
};

/** What a thread may take to load its modules, in milliseconds by the clock: no fault of the task that is the first to need it. */
const START_MS = 60_000;

/** How many times its processor time a task may take by the clock. */
export const CLOCK_FACTOR = 4;

/** Time between two looks at what a thread has worked, at least, in milliseconds. */
const MIN_LOOK_MS = 5;

/** The same file beside this one, as source or as built. */
const urlOf = (entry: string): URL => new URL(`./${entry}${extname(import.meta.url)}`, import.meta.url);

function startWorker({ entry, workerData, heapMb }: ThreadPoolOptions): Worker {
  const worker = new Worker(urlOf(entry), { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  // An idle thread must not keep the process alive.
  worker.unref();
  return worker;
}

/**
 * Calls back when a time is over; gives what cancels that. What has arrived by then goes first: a process that was busy
 * itself must not take an answer that waits for none.
 */
function after(ms: number, isOver: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(isOver);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/**
 * Calls back when a thread has worked for so long, in milliseconds of its processor time, or when `CLOCK_FACTOR` times as
 * long has passed by the clock: a busy machine must not refuse what it had no time for. Gives what cancels that.
 */
function limitWork(worker: Worker, ms: number, isOver: () => void): () => void {
  const cpuMs = (): Promise<number> =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      // It has ended, which is an event of its own.
      () => 0,
    );
  const atBegin = cpuMs();
  let isCancelled = false;
  let cancelLook = () => {};
  const look = async () => {
    // Answered between two steps of the thread's scripts and expressions; inside native code, the clock has the last word.
    const leftMs = ms - ((await cpuMs()) - (await atBegin));
    if (isCancelled) return;
    if (leftMs <= 0) isOver();
    else cancelLook = after(Math.max(leftMs, MIN_LOOK_MS), look);
  };
  cancelLook = after(ms, look);
  const cancelClock = after(ms * CLOCK_FACTOR, isOver);
  return () => {
    isCancelled = true;
    cancelLook();
    cancelClock();
  };
}

/** The same error, told from a fault of the task when it says that there was too little memory. */
const withOverrun = (error: NodeJS.ErrnoException): Error =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverrunError('memory') : error;

/** Hands one task to a thread and waits for its end, however it ends. Times run from when the thread begins. */
function runTask<T, A>(worker: Worker, { task, stages }: Waiting<T, A>, timeMs: number): Promise<A> {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const tooLong = (what: string, ms: number) =>
    limitWork(worker, ms, () => reject(new OverrunError(what, ms)));
  let cancelStage = after(START_MS, () => reject(new OverrunError('start', START_MS)));
  let cancelAll: (() => void) | undefined;
  const onMessage = (said: Said<A>) => {
    if ('answer' in said) return resolve(said.answer);
    cancelAll ??= tooLong('time', timeMs);
    cancelStage();
    const limit = stages[said.stage];
    cancelStage = limit === undefined ? () => {} : tooLong(said.stage, limit);
  };
  const onError = (error: Error) => reject(withOverrun(error));
  const onExit = () => reject(new Error('The thread ended before it answered.'));
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  try {
    worker.postMessage(task);
  } catch (error) {
    reject(error);
  }
  return promise.finally(() => {
    cancelStage();
    cancelAll?.();
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  });
}

/**
 * Threads that start when they are first needed and do one task at a time, each a message answered by messages. A task
 * that crashes its thread, or takes too long or too much memory, fails alone.
 */
export function createThreadPool<T, A>(options: ThreadPoolOptions) {
  const { threads, spareAfterMs = 0 } = options;
  const waiting: Waiting<T, A>[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function nextWorker(first: Waiting<T, A>): Worker | undefined {
    const held = idle.pop();
    if (held || all.size >= threads) return held;
    const leftMs = all.size === 0 ? 0 : first.since + spareAfterMs - performance.now();
    if (leftMs > 0) {
      setTimeout(() => void work(), Math.ceil(leftMs)).unref();
      return undefined;
    }
    const made = startWorker(options);
    all.add(made);
    return made;
  }

  async function end(worker: Worker): Promise<void> {
    // A second error, which comes while the thread ends, concerns no task.
    worker.on('error', () => {});
    await worker.terminate();
    all.delete(worker);
  }

  async function work(): Promise<void> {
    const worker = waiting[0] && nextWorker(waiting[0]);
    const next = worker && waiting.shift();
    if (!next) return;
    try {
      next.resolve(await runTask(worker, next, options.timeMs));
      if (spareAfterMs > 0 && all.size > 1 && waiting.length === 0) await end(worker);
      else idle.push(worker);
    } catch (error) {
      next.reject(error);
      await end(worker);
    }
    await work();
  }

  return {
    /**
     * @param stages what single stages of the task may take
     * @throws OverrunError when the task took too long or too much memory; else what its thread threw
     */
    run: (task: T, stages: StageLimits = {}): Promise<A> =>
      new Promise((resolve, reject) => {
        waiting.push({ task, stages, since: performance.now(), resolve, reject });
        void work();
      }),
    /** How many threads run. */
    size: (): number => all.size,
    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
