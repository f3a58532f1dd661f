import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';

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

/** Histogram buckets of request times, in seconds: from a page in memory to a large upload over a slow connection. */
export const REQUEST_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** The labels of a request. `route` is a pattern of the route table, which keeps their number small. */
export type Counted = { method: string; route: string; status: number };

/** A counter or a gauge of an extension, with one label: its number by each value of the label. */
export type NamedCounts = {
  name: string;
  help: string;
  label: string;
  read(): Readonly<Record<string, number>>;
};

/** Counts of what must not happen in this process. */
export type Faults = {
  /** Errors that no code caught. */
  uncaught(): number;
  /** Lines of the log that were dropped. */
  droppedLines(): number;
};

/** Counts what the store does, for Prometheus. */
export interface Metrics {
  request(counted: Counted, seconds: number): void;
  /** Adds a counter, which is read with the others. */
  count(counts: NamedCounts): void;
  /** Adds a gauge, likewise. */
  measure(values: NamedCounts): void;
  /** Reads the metrics in the text exposition format, with its media type. */
  read(): Promise<{ text: string; type: string }>;
}

/** The requests of one route and status: how many ended within each bucket, or later, and the sum of their times. */
type Tally = { counted: Counted; within: number[]; seconds: number };

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

const SECONDS = 'svc_http_request_seconds';

/** The histogram of a route in the text format, in which buckets are cumulative. */
function bucketsOf(route: string, tallies: readonly Tally[]) {
  let total = 0;
  const buckets = [...REQUEST_SECONDS, '+Inf'].map((le, n) => {
    total += sum(tallies.map(({ within }) => within[n] ?? 0));
    return { metricName: `${SECONDS}_bucket`, labels: { le, route }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${SECONDS}_sum`, labels: { route }, value: sum(tallies.map(({ seconds }) => seconds)) },
    { metricName: `${SECONDS}_count`, labels: { route }, value: total },
  ];
}

/** Registers a counter whose value is read from elsewhere. */
function registerCounter(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    ...{ name, help, registers: [registry] },
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

let processRegistry: Registry | undefined;

/** The metrics of this process: one registry however many stores it opens, as their timers and observers never end. */
function metricsOfProcess(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Creates the metrics of a store, which are read with those of the process. */
export function createMetrics({ faults }: { faults?: Faults | undefined } = {}): Metrics {
  const registry = new Registry();
  const ofProcess = metricsOfProcess();
  const { uncaught = () => 0, droppedLines = () => 0 } = faults ?? {};
  registerCounter(registry, 'svc_uncaught_total', 'Errors that no code caught.', uncaught);
  registerCounter(
    registry,
    'svc_log_lines_dropped_total',
    'Log lines that could not be written.',
    droppedLines,
  );
  /** Plain numbers, which are cheap to count; they are converted to the form of the library when they are read. */
  const tallies = new Map<string, Tally>();
  new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { counted, within } of tallies.values()) this.inc(counted, sum(within));
    },
  });
  const times = {
    name: SECONDS,
    help: 'Time from the first byte of a request to its answer.',
    type: 'histogram',
    aggregator: 'sum',
    get() {
      const byRoute = Map.groupBy(tallies.values(), ({ counted }) => counted.route);
      return { ...times, values: [...byRoute].flatMap(([route, all]) => bucketsOf(route, all)) };
    },
  };
  registry.registerMetric(times as unknown as Metric);
  function tallyOf({ method, route, status }: Counted): Tally {
    const key = `${method} ${status} ${route}`;
    const known = tallies.get(key);
    if (known) return known;
    const within = new Array<number>(REQUEST_SECONDS.length + 1).fill(0);
    const tally = { counted: { method, route, status }, within, seconds: 0 };
    tallies.set(key, tally);
    return tally;
  }
  return {
    request(counted, seconds) {
      const tally = tallyOf(counted);
      let n = 0;
      while (n < REQUEST_SECONDS.length && seconds > (REQUEST_SECONDS[n] as number)) n += 1;
      tally.within[n] = (tally.within[n] as number) + 1;
      tally.seconds += seconds;
    },
    count({ name, help, label, read }) {
      new Counter({
        ...{ name, help, labelNames: [label], registers: [registry] },
        collect() {
          this.reset();
          for (const [value, times] of Object.entries(read())) this.inc({ [label]: value }, times);
        },
      });
    },
    measure({ name, help, label, read }) {
      new Gauge({
        ...{ name, help, labelNames: [label], registers: [registry] },
        collect() {
          this.reset();
          for (const [value, measured] of Object.entries(read())) this.set({ [label]: value }, measured);
        },
      });
    },
    read: async () => ({
      text: await Registry.merge([registry, ofProcess]).metrics(),
      type: registry.contentType,
    }),
  };
}
