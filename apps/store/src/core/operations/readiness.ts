import type { Clock } from '../../platform/system.ts';

/** A load balancer that has probed within this time, in milliseconds, is expected to probe again. */
const PROBE_INTERVAL_MS = 60_000;

export function createReadiness(clock: Clock) {
  let ended = false;
  let lastAsked = Number.NEGATIVE_INFINITY;
  return {
    /** Returns whether the process accepts requests, and records the probe. */
    ask() {
      lastAsked = clock().getTime();
      return !ended;
    },
    /**
     * Marks the process as stopping.
     * @returns whether a load balancer probes it, and needs time to notice
     */
    end() {
      ended = true;
      return clock().getTime() - lastAsked < PROBE_INTERVAL_MS;
    },
  };
}

/** Whether this process accepts requests. Load balancers probe it at `/readyz`. */
export type Readiness = ReturnType<typeof createReadiness>;
