import { vi } from 'vitest';

/** As long as `expect.poll` waits (vitest.config.ts): what is sure to happen may take long on a busy machine. */
const PATIENCE = { timeout: 60_000, interval: 20 };

/** Waits until something no longer throws. @returns what it returns then */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, PATIENCE);
