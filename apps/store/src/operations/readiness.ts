import type { Clock } from '../platform/system.ts';

/** A probe that asked within this time, in milliseconds, asks regularly and will ask again. */
const REGULARLY_MS = 60_000;

/** Whether this process wants new work. Balancers ask, at `/readyz`. */
export type Readiness = {
  /** Answers one who asks, and remembers that a probe did. */
  ask(): boolean;
  /**
   * From now on this process wants none.
   * @returns whether a probe asks regularly, and needs a moment to hear of it
   */
  end(): boolean;
};

export function createReadiness(clock: Clock): Readiness {
  let ended = false;
  let lastAsked = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      lastAsked = clock().getTime();
      return !ended;
    },
    end() {
      ended = true;
      return clock().getTime() - lastAsked < REGULARLY_MS;
    },
  };
}
