import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ambient } from '../../src/platform/ambient.ts';

/** The real time and chance. */
export const ambient: Ambient = {
  now: () => Date.now(),
  randomBytes,
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};
