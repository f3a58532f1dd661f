import { RuntimeError } from './runtime-error.ts';
import type { System } from './system.ts';

/** A reason made once: making one for each call costs more than all the rest here. */
const OVER = new Error('The work is over.');

/**
 * Does work that is aborted when it takes too long, or when a signal is.
 * @throws RuntimeError `too-slow` when the time is over, whatever the work made of that
 */
export async function withinTime<T>(
  system: Pick<System, 'sleep'>,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let late: RuntimeError | null = null;
  const inner = new AbortController();
  const timer = new AbortController();
  const giveUp = () => inner.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  system.sleep(ms, timer.signal).then(
    () => {
      late = new RuntimeError('too-slow');
      inner.abort(late);
    },
    () => undefined,
  );
  try {
    return await work(inner.signal);
  } catch (error) {
    throw late ?? error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    timer.abort(OVER);
  }
}
