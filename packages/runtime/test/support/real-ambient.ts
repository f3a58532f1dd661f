import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ambient } from '../../src/platform/ambient.ts';

/** The clock, the chance and the patience of this machine. */
export const realAmbient: Ambient = {
  now: Date.now,
  randomBytes,
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
};
