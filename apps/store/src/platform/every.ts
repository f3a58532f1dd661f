import { guarded } from '@svc/contracts/guarded';
import type { Log } from './system.ts';

/** Work that is repeated. */
export type Recurring = {
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

  const plan = (ms: number) => {
    if (signal.aborted) return;
    const run = () => {
      running = Promise.resolve(signal)
        .then(work)
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, `${what} failed and will be retried.`);
        })
        .then(() => plan(pause.thenMs));
    };
    timer = setTimeout(guarded(run), ms);
    timer.unref();
  };

  plan(pause.firstMs);
  return {
    async stop() {
      controller.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
