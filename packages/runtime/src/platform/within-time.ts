import { RuntimeError } from './runtime-error.ts';
import type { System } from './system.ts';

/** One shared instance: creating an error for each call costs more than everything else here. */
const OVER = new Error('The work is over.');

/**
 * Runs work that is aborted after a time limit, or with a signal.
 * @throws RuntimeError `too-slow` after the time limit, whatever the work returned or threw
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
