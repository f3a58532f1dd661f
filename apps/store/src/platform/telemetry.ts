import type { Counted, Metrics } from './metrics.ts';

/** Where what requests came to is sent, besides the log and the metrics for Prometheus. */
export type Telemetry = {
  /** @param seconds that it took; it has just ended */
  request(counted: Counted & { requestId?: string }, seconds: number): void;
};

/** Telemetry that is sent, until it is closed. */
export type SentTelemetry = Telemetry & { close(): Promise<void> };

/** The metrics, with each request told to telemetry too. */
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
