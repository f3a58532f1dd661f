import type { Log } from './system.ts';

/** Work that is done again and again. */
export type Recurring = {
  /** Ends it, and waits for what is under way. */
  stop(): Promise<void>;
};

/**
 * Does some work again and again, never twice at once. What fails is tried at the next time.
 * @param what the work, for the log
 * @param pause milliseconds to the first time, and from the end of one time to the beginning of the next
 * @param work is told by its signal when there is no more time for it
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
    timer = setTimeout(() => {
      running = work(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, `${what} failed; it is tried again.`);
        })
        .then(() => plan(pause.thenMs));
    }, ms);
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
