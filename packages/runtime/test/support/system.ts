import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../../src/platform/system.ts';

/** The real clock, random bytes and timers; timers do not keep the process running. */
export const system: System = {
  now: () => Date.now(),
  randomBytes,
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};
