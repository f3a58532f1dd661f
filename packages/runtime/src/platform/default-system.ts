import { randomBytes } from 'node:crypto';
import { guarded } from '@svc/contracts/guarded';
import type { System } from './system.ts';

/**
 * Waits. Unlike `timers/promises` it creates no error when it is aborted, which is how nearly every time limit of the runtime ends.
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
  const wake = () => {
    signal?.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(guarded(wake), ms);
  signal?.addEventListener('abort', end, { once: true });
  return promise;
}

/** The clock, random bytes and timers of this machine. */
export const defaultSystem: System = { now: () => Date.now(), randomBytes, sleep };
