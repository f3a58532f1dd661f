import type { Clock } from '../../platform/system.ts';

/** A load balancer that has probed within this time, in milliseconds, is expected to probe again. */
const PROBE_INTERVAL_MS = 60_000;

/** Whether this process accepts requests. Load balancers probe it at `/readyz`. */
export type Readiness = {
  /** Returns whether the process accepts requests, and records the probe. */
  ask(): boolean;
  /**
   * Marks the process as stopping.
   * @returns whether a load balancer probes it, and needs time to notice
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
      return clock().getTime() - lastAsked < PROBE_INTERVAL_MS;
    },
  };
}
