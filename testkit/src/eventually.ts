import { vi } from 'vitest';
import { TIMEOUT_MS } from './patience.ts';

/** The timeout of `expect.poll` (vitest.config.ts). */
const TIMEOUTS = { timeout: TIMEOUT_MS, interval: 20 };

/** Retries until a function no longer throws. @returns its result */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, TIMEOUTS);
