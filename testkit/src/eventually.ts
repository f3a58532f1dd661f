import { vi } from 'vitest';
import { TIMEOUT_MS } from './patience.ts';

/** As long as `expect.poll` waits (vitest.config.ts). */
const TIMEOUTS = { timeout: TIMEOUT_MS, interval: 20 };

/** Waits until something no longer throws. @returns what it returns then */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, TIMEOUTS);
