import type { StoreHealth } from '@svc/contracts';
import { guarded } from '@svc/contracts/guarded';
import type { Clock, Log } from './system.ts';

type Job = StoreHealth['jobs'][number];

export function createJobTracker(clock: Clock) {
  const jobs: Job[] = [];
  return {
    /** Wraps a job, so that the outcome of each run is recorded. */
    track<A extends unknown[]>(
      name: string,
      work: (...args: A) => Promise<unknown>,
    ): (...args: A) => Promise<unknown> {
      const job: Job = { name, doneAt: null, failedAt: null };
      jobs.push(job);
      return async (...args) => {
        try {
          const result = await work(...args);
          job.doneAt = clock().toISOString();
          return result;
        } catch (error) {
          job.failedAt = clock().toISOString();
          throw error;
        }
      };
    },
    /** Lists the jobs in the order in which they were registered. */
    list: () => jobs.map((job) => ({ ...job })),
  };
}

/** Tracks when the jobs of this process last ran. */
export type JobTracker = ReturnType<typeof createJobTracker>;

/** Work that is repeated. */
export type Recurring = {
  /** Runs the work now, or once more after a run in progress. */
  soon(): void;
  /** Stops the repetition, and waits for a run in progress. */
  stop(): Promise<void>;
};

/**
 * Repeats work, one run at a time. A failed run is retried at the next time.
 * @param what the work, for the log
 * @param pause milliseconds to the first run, and from the end of one run to the beginning of the next
 * @param work is aborted by its signal when the repetition is stopped
 */
export function every(
  what: string,
  pause: { firstMs: number; thenMs: number },
  work: (signal: AbortSignal) => Promise<unknown>,
  log: Log,
): Recurring {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let failures = 0;
  let isRunning = false;
  let isAsked = false;

  /** Logs a failure, and of those that follow it the 2nd, 4th, 8th, and so on: an outage must not fill the log. */
  const logFailure = (err: unknown) => {
    failures += 1;
    if (Number.isInteger(Math.log2(failures)))
      log.error({ err, failures }, `${what} failed and will be retried.`);
  };
  const logSuccess = () => {
    if (failures > 0) log.info({ failures }, `${what} works again.`);
    failures = 0;
  };

  const run = () => {
    isRunning = true;
    isAsked = false;
    running = Promise.resolve(signal)
      .then(work)
      .then(logSuccess, (error: unknown) => {
        if (!signal.aborted) logFailure(error);
      })
      .then(() => {
        isRunning = false;
        plan(isAsked ? 0 : pause.thenMs);
      });
  };
  const plan = (ms: number) => {
    clearTimeout(timer);
    if (signal.aborted) return;
    timer = setTimeout(guarded(run), ms);
    timer.unref();
  };

  plan(pause.firstMs);
  return {
    soon() {
      isAsked = true;
      if (!isRunning) plan(0);
    },
    async stop() {
      controller.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
