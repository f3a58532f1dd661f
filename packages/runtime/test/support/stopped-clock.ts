import type { System } from '../../src/platform/system.ts';
import { realSystem } from './real-system.ts';

/** A clock whose timers end when the test passes time. */
export function stoppedClock(): System & { pass(ms: number): Promise<void> } {
  let at = 0;
  const timers = new Set<{ at: number; ring: () => void }>();
  return {
    ...realSystem,
    now: () => at,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const timer = { at: at + ms, ring: resolve };
        timers.add(timer);
        signal?.addEventListener('abort', () => {
          timers.delete(timer);
          reject(signal.reason);
        });
      }),
    async pass(ms: number) {
      at += ms;
      for (const timer of timers) if (timer.at <= at && timers.delete(timer)) timer.ring();
      await new Promise(setImmediate);
    },
  };
}
