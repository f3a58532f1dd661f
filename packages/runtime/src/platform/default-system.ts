import { randomBytes } from 'node:crypto';
import type { System } from './system.ts';

/**
 * Waits. Unlike the promised timers of Node it makes no error of its own when it is ended early, which is how nearly every wait
 * of the runtime ends: a call is over long before its time is.
 */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const end = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', end);
    resolve();
  }, ms);
  signal?.addEventListener('abort', end, { once: true });
  return promise;
}

/** Time and chance as this computer has them. */
export const defaultSystem: System = { now: () => Date.now(), randomBytes, sleep };
