import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { System } from '../../src/platform/system.ts';

/** The clock, the random bytes and the timers of this machine. */
export const realSystem: System = {
  now: Date.now,
  randomBytes,
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
};

/**
 * Waits of a sign-in in tests: polls follow at once, and the one before the browser opens may take as long as a busy machine does. Given
 * up after two seconds it would arrive later, and take the response with it.
 */
export const sleepInSignIn: System['sleep'] = (ms, signal) =>
  realSystem.sleep(
    new Map([
      [1_000, 5],
      [2_000, 60_000],
    ]).get(ms) ?? ms,
    signal,
  );
