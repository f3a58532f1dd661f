import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { System } from '../../src/platform/system.ts';

/** The clock, the random bytes and the timers of this machine. */
export const realSystem: System = {
  now: Date.now,
  randomBytes,
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
};
