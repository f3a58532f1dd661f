import { Worker } from 'node:worker_threads';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { OverrunError } from '../../platform/overrun-error.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

export type ThreadPoolOptions = {
  /** The entry file of the thread. */
  file: string;
  workerData?: unknown;
  /** Maximum number of concurrent tasks; the others wait. */
  threads: number;
  /**
   * How long a task waits for a busy thread before an additional one starts, in milliseconds; the additional thread ends when no task
   * waits. 0 by default. For short tasks that need much memory.
   */
  spareAfterMs?: number;
  /** Maximum processor time of a task before its thread is terminated, in milliseconds: see `limitWork`. */
  timeMs: number;
  heapMb: number;
};

/**
 * Messages of a thread: one when it has loaded its modules; for each task, one at the start of each stage, and finally the response.
 */
export type Said<A> = { ready: true } | { stage: string } | { answer: A };

/** Maximum processor time of single stages, in milliseconds, by their names. */
type StageLimits = Readonly<Record<string, number>>;

type Waiting<T, A> = {
  task: T;
  stages: StageLimits;
  /** When the task was added, by `performance.now`. */
  since: number;
  resolve(answer: A): void;
  reject(error: unknown): void;
};

/** Maximum time to load the modules of a thread, in milliseconds of wall time. */
const START_MS = 60_000;

/** Maximum wall time of a task, as a multiple of its processor time. */
export const CLOCK_FACTOR = 4;

/** Minimum interval between two checks of a thread's processor time, in milliseconds. */
const MIN_LOOK_MS = 5;

function startWorker({ file, workerData, heapMb }: ThreadPoolOptions): Worker {
  const worker = new Worker(file, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  // An idle thread must not keep the process alive.
  worker.unref();
  return worker;
}

/**
 * Calls back after a timeout; returns a function that cancels it. Messages that have already arrived are handled first: a process that
 * was busy itself must not treat a received response as a timeout.
 */
function after(ms: number, isOver: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const check = () => {
    immediate = setImmediate(guarded(isOver));
  };
  const timer = setTimeout(guarded(check), ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/**
 * Calls back when a thread has used `ms` of processor time, or when `CLOCK_FACTOR` times as much wall time has passed: a task must not
 * fail because the machine is busy. Returns a function that cancels it.
 */
function limitWork(worker: Worker, ms: number, isOver: () => void): () => void {
  const cpuMs = (): Promise<number> =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      // The thread has ended, which has its own event.
      () => 0,
    );
  const atBegin = cpuMs();
  let isCancelled = false;
  let cancelLook = () => {};
  const look = async () => {
    // V8 answers between two steps of JavaScript or of a regular expression; during native code, only the limit of wall time applies.
    const remainingMs = ms - ((await cpuMs()) - (await atBegin));
    if (isCancelled) return;
    if (remainingMs <= 0) isOver();
    else cancelLook = after(Math.max(remainingMs, MIN_LOOK_MS), look);
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
 * @throws OverrunError after `START_MS`; else the error that ended the thread
 */
function whenReady(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onExit = guarded(() => reject(endedEarly()));
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

/** Returns the error; OverrunError instead when the thread ran out of memory. */
const withOverrun = (error: NodeJS.ErrnoException): Error =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverrunError('memory') : error;

/** Runs one task on a thread, and waits until it ends in any way. Limits count from when the thread begins. */
function runTask<T, A>(worker: Worker, { task, stages }: Waiting<T, A>, timeMs: number): Promise<A> {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const tooLong = (what: string, ms: number) =>
    limitWork(worker, ms, () => reject(new OverrunError(what, ms)));
  const cancelAll = tooLong('time', timeMs);
  let cancelStage = () => {};
  const take = (said: Said<A>) => {
    if ('answer' in said) return resolve(said.answer);
    if (!('stage' in said)) return;
    cancelStage();
    const limit = stages[said.stage];
    cancelStage = limit === undefined ? () => {} : tooLong(said.stage, limit);
  };
  const onMessage = guarded(take);
  const onError = guarded((error: Error) => reject(withOverrun(error)));
  const onExit = guarded(() => reject(endedEarly()));
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
 * A pool of threads that start on demand and run one task at a time, by messages. A task that crashes its thread, or exceeds its time
 * or memory, fails alone. A task runs on the first free thread, which need not be the one that was started for it.
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

  /** Starts a thread. Without any, as when the system has no memory for one, no waiting task can be done. */
  function start(): boolean {
    try {
      const worker = startWorker(options);
      all.add(worker);
      starting += 1;
      // An error of an idle thread affects no task.
      worker
        .on('error', () => {})
        .on(
          'exit',
          guarded(() => forget(worker)),
        );
      inBackground(prepare(worker));
      return true;
    } catch (cause) {
      const refusal = new UnavailableError('The system starts no further thread.', { cause });
      if (all.size === 0) for (const { reject } of waiting.splice(0)) reject(refusal);
      return false;
    }
  }

  async function prepare(worker: Worker): Promise<void> {
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

  /** Starts a thread for the first task that has none starting, immediately or when the task has waited long enough. */
  function startForNext(): void {
    const next = waiting[starting];
    if (!next || all.size >= threads) return;
    const remainingMs = all.size === 0 ? 0 : next.since + spareAfterMs - performance.now();
    if (remainingMs > 0) {
      setTimeout(guarded(share), Math.ceil(remainingMs)).unref();
      return;
    }
    if (start()) startForNext();
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

  /** Assigns waiting tasks to free threads. */
  function share(): void {
    if (isClosed) return;
    for (let next = idle.length > 0 && waiting.shift(); next; next = idle.length > 0 && waiting.shift())
      inBackground(work(idle.pop() as Worker, next));
    startForNext();
  }

  return {
    /**
     * Runs a task.
     * @param stages limits of single stages of the task
     * @throws OverrunError when the task exceeded its time or memory; UnavailableError when the system starts no thread; else the error
     *   that its thread threw
     */
    run: (task: T, stages: StageLimits = {}): Promise<A> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(endedEarly());
        waiting.push({ task, stages, since: performance.now(), resolve, reject });
        share();
      }),
    /** The number of running threads. */
    size: (): number => all.size,
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(endedEarly());
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
