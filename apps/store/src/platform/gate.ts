import { Refusal } from './refusal.ts';

/** Seconds after which somebody turned away had better come again. */
const RETRY_SECONDS = 5;

/** Lets only so many do something at once. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Bounds how much of some heavy work is under way at once. Others wait in the order in which they came, up to a number;
 * whoever comes then is turned away at once, which costs less than to let everybody wait too long.
 * @throws Refusal unavailable, from the gate, when too many wait already
 */
export function createGate({ active, waiting }: { active: number; waiting: number }): Gate {
  const queue: (() => void)[] = [];
  let inside = 0;

  const enter = (): Promise<void> | undefined => {
    if (inside < active) {
      inside += 1;
      return undefined;
    }
    if (queue.length >= waiting) {
      throw new Refusal('unavailable', `The store is busy: try again in ${RETRY_SECONDS} seconds.`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    return new Promise((resolve) => queue.push(resolve));
  };

  /** The place goes to who waits longest, or is free. */
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else inside -= 1;
  };

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
