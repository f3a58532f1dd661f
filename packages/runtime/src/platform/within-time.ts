import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from './runtime-error.ts';
import type { System } from './system.ts';

/** Waits for work until a signal is aborted. The work goes on. @throws the reason of the signal */
export async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = guarded(() => reject(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** One shared instance: creating an error for each call costs more than everything else here. */
const OVER = new Error('The work is over.');

/** A time limit of work, which the work can influence. */
export type TimeLimit = {
  /** The work has made progress: its time starts again, within the longest time. */
  extend(): void;
  /** Runs a part of the work that does not count, such as a question to the user. */
  pausing<T>(part: () => Promise<T>): Promise<T>;
};

/** Time without progress and longest time, in milliseconds. */
export type TimeBounds = { ms: number; maxMs: number };

/** Runs work until `start` says that it is late, or the signal is aborted. @param start returns a function that stops the timer */
async function untilLate<T>(
  signal: AbortSignal,
  start: (late: () => void) => () => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let late: RuntimeError | null = null;
  const inner = new AbortController();
  const giveUp = () => inner.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const stop = start(() => {
    late = new RuntimeError('too-slow');
    inner.abort(late);
  });
  try {
    return await work(inner.signal);
  } catch (error) {
    throw late ?? error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    stop();
  }
}

/** Calls `late` after a time. @returns stops the timer */
function after(system: Pick<System, 'sleep'>, ms: number, late: () => void): () => void {
  const timer = new AbortController();
  system.sleep(ms, timer.signal).then(late, () => undefined);
  return () => timer.abort(OVER);
}

/**
 * Runs work that is aborted after a time limit, or with a signal.
 * @throws RuntimeError `too-slow` after the time limit, whatever the work returned or threw
 */
export const withinTime = <T>(
  system: Pick<System, 'sleep'>,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => untilLate(signal, (late) => after(system, ms, late), work);

/** The timer of a limit: its time begins again with progress, and stands still during pauses. */
function createLimit(system: Pick<System, 'now' | 'sleep'>, { ms, maxMs }: TimeBounds) {
  const begun = system.now();
  let [deadline, longest] = [begun + ms, begun + Math.max(ms, maxMs)];
  let [pauses, pausedAt] = [0, 0];
  let isExtended = false;
  let stop = () => {};
  let late = () => {};
  function wait(forMs: number): void {
    isExtended = false;
    // The clock is read again only after progress or a pause.
    stop = after(system, forMs, () => {
      const left = isExtended ? Math.min(deadline, longest) - system.now() : 0;
      if (left > 0) wait(left);
      else late();
    });
  }
  function resume(now: number): void {
    deadline += now - pausedAt;
    longest += now - pausedAt;
    wait(Math.max(1, Math.min(deadline, longest) - now));
  }
  const limit: TimeLimit = {
    extend() {
      deadline = system.now() + ms;
      isExtended = true;
    },
    async pausing(part) {
      if (pauses === 0) {
        stop();
        pausedAt = system.now();
      }
      pauses += 1;
      try {
        return await part();
      } finally {
        pauses -= 1;
        if (pauses === 0) resume(system.now());
      }
    },
  };
  return {
    limit,
    start(onLate: () => void): () => void {
      late = onLate;
      wait(ms);
      return () => stop();
    },
  };
}

/**
 * Runs work that is aborted after a time without progress, after its longest time, or with a signal.
 * @throws RuntimeError `too-slow`
 */
export function withinLimit<T>(
  system: Pick<System, 'now' | 'sleep'>,
  bounds: TimeBounds,
  signal: AbortSignal,
  work: (signal: AbortSignal, limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const { limit, start } = createLimit(system, bounds);
  return untilLate(signal, start, (timed) => work(timed, limit));
}
