import { Worker } from 'node:worker_threads';
import { OverrunError } from '../../platform/overrun-error.ts';

export type ThreadPoolOptions = {
  /** The program of the thread. */
  file: string;
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

/**
 * What a thread says: once that it has loaded its modules; for each task that it begins with a part of it, at least with
 * the first, and at last the answer.
 */
export type Said<A> = { ready: true } | { stage: string } | { answer: A };

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

/** What a thread may take to load its modules, in milliseconds by the clock. */
const START_MS = 60_000;

/** How many times its processor time a task may take by the clock. */
export const CLOCK_FACTOR = 4;

/** Time between two looks at what a thread has worked, at least, in milliseconds. */
const MIN_LOOK_MS = 5;

function startWorker({ file, workerData, heapMb }: ThreadPoolOptions): Worker {
  const worker = new Worker(file, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
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

const endedEarly = () => new Error('The thread ended before it answered.');

/**
 * Waits until a thread has loaded its modules.
 * @throws OverrunError after `START_MS`; else what ended it
 */
function whenReady(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onExit = () => reject(endedEarly());
  worker
    .once('message', () => resolve())
    .on('error', reject)
    .on('exit', onExit);
  const cancel = after(START_MS, () => reject(new OverrunError('start', START_MS)));
  return promise.finally(() => {
    cancel();
    worker.off('error', reject).off('exit', onExit);
  });
}

/** The same error, told from a fault of the task when it says that there was too little memory. */
const withOverrun = (error: NodeJS.ErrnoException): Error =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverrunError('memory') : error;

/** Hands one task to a thread and waits for its end, however it ends. Times run from when the thread begins. */
function runTask<T, A>(worker: Worker, { task, stages }: Waiting<T, A>, timeMs: number): Promise<A> {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const tooLong = (what: string, ms: number) =>
    limitWork(worker, ms, () => reject(new OverrunError(what, ms)));
  const cancelAll = tooLong('time', timeMs);
  let cancelStage = () => {};
  const onMessage = (said: Said<A>) => {
    if ('answer' in said) return resolve(said.answer);
    if (!('stage' in said)) return;
    cancelStage();
    const limit = stages[said.stage];
    cancelStage = limit === undefined ? () => {} : tooLong(said.stage, limit);
  };
  const onError = (error: Error) => reject(withOverrun(error));
  const onExit = () => reject(endedEarly());
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  try {
    worker.postMessage(task);
  } catch (error) {
    reject(error);
  }
  return promise.finally(() => {
    cancelStage();
    cancelAll();
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  });
}

/**
 * Threads that start when they are first needed and do one task at a time, each a message answered by messages. A task
 * that crashes its thread, or takes too long or too much memory, fails alone. A task waits for the first thread that is
 * free, which need not be the one that was started for it.
 */
export function createThreadPool<T, A>(options: ThreadPoolOptions) {
  const { threads, spareAfterMs = 0 } = options;
  const waiting: Waiting<T, A>[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let starting = 0;
  let isClosed = false;

  const forget = (worker: Worker): void => {
    all.delete(worker);
    const place = idle.indexOf(worker);
    if (place >= 0) idle.splice(place, 1);
  };

  const end = async (worker: Worker): Promise<void> => {
    await worker.terminate();
    forget(worker);
  };

  async function free(worker: Worker): Promise<void> {
    if (spareAfterMs > 0 && all.size > 1 && waiting.length === 0) await end(worker);
    else idle.push(worker);
    share();
  }

  async function start(): Promise<void> {
    const worker = startWorker(options);
    all.add(worker);
    starting += 1;
    // What goes wrong while it does no task concerns none.
    worker.on('error', () => {}).on('exit', () => forget(worker));
    try {
      await whenReady(worker);
    } catch (error) {
      starting -= 1;
      waiting.shift()?.reject(error);
      await end(worker);
      return share();
    }
    starting -= 1;
    await free(worker);
  }

  /** Starts a thread for the first task for which none starts yet, at once or when the task has waited long enough. */
  function startForNext(): void {
    const next = waiting[starting];
    if (!next || all.size >= threads) return;
    const leftMs = all.size === 0 ? 0 : next.since + spareAfterMs - performance.now();
    if (leftMs > 0) {
      setTimeout(share, Math.ceil(leftMs)).unref();
      return;
    }
    void start();
    startForNext();
  }

  async function work(worker: Worker, next: Waiting<T, A>): Promise<void> {
    try {
      next.resolve(await runTask(worker, next, options.timeMs));
    } catch (error) {
      next.reject(error);
      await end(worker);
      return share();
    }
    await free(worker);
  }

  /** Hands the tasks that wait to the threads that are free. */
  function share(): void {
    if (isClosed) return;
    for (let next = idle.length > 0 && waiting.shift(); next; next = idle.length > 0 && waiting.shift())
      void work(idle.pop() as Worker, next);
    startForNext();
  }

  return {
    /**
     * @param stages what single stages of the task may take
     * @throws OverrunError when the task took too long or too much memory; else what its thread threw
     */
    run: (task: T, stages: StageLimits = {}): Promise<A> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(endedEarly());
        waiting.push({ task, stages, since: performance.now(), resolve, reject });
        share();
      }),
    /** How many threads run. */
    size: (): number => all.size,
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(endedEarly());
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
