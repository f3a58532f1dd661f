import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Bounds of the request times, in seconds: from a page out of memory to a large upload over a slow line. */
export const REQUEST_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** What a request came to, for counting. `route` is a pattern of the route table, so that there are never many. */
export type Counted = { method: string; route: string; status: number };

/** Counts what the store does, for Prometheus. */
export interface Metrics {
  request(counted: Counted, seconds: number): void;
  /** The text exposition format, and its media type. */
  read(): Promise<{ text: string; type: string }>;
}

/** @param withProcess whether to watch the process too: once for each process */
export function createMetrics({ withProcess }: { withProcess: boolean }): Metrics {
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const times = new Histogram({
    name: 'svc_http_request_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  /** To look up the labels of a count takes longer than to count. There are as many as routes have outcomes. */
  const counters = new Map<string, { inc(): void; observe(seconds: number): void }>();
  function counterOf({ method, route, status }: Counted) {
    const key = `${method} ${status} ${route}`;
    const known = counters.get(key);
    if (known) return known;
    const [count, time] = [requests.labels({ method, route, status }), times.labels({ route })];
    const counter = { inc: () => count.inc(), observe: (seconds: number) => time.observe(seconds) };
    counters.set(key, counter);
    return counter;
  }
  return {
    request(counted, seconds) {
      const counter = counterOf(counted);
      counter.inc();
      counter.observe(seconds);
    },
    read: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}
