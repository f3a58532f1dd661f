import type { Counted, Metrics } from './metrics.ts';

/** Receives the outcome of requests, in addition to the log and the metrics for Prometheus. */
export type Telemetry = {
  /** Reports a request that has just ended. @param seconds its duration */
  request(counted: Counted & { requestId?: string }, seconds: number): void;
};

/** Telemetry that is exported until it is closed. */
export type SentTelemetry = Telemetry & { close(): Promise<void> };

/** Wraps the metrics, so that each request is reported to telemetry too. */
export const withTelemetry = (metrics: Metrics, telemetry: Telemetry | undefined): Metrics =>
  telemetry === undefined
    ? metrics
    : {
        ...metrics,
        request(counted, seconds) {
          metrics.request(counted, seconds);
          telemetry.request(counted, seconds);
        },
      };
