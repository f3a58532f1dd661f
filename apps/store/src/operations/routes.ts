import type { RouteHandler } from '../http/bind-route.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** How long a readiness check may take, in milliseconds: whoever asks gives up soon after. */
const PATIENCE_MS = 2_000;
const RETRY_SECONDS = 5;

/** Asks one thing the store cannot do without; rejects when it is not there. */
export type Probe = () => Promise<unknown>;

export type OperationsDeps = {
  metrics: Metrics;
  probes: Readonly<Record<string, Probe>>;
  readiness: Pick<Readiness, 'ask'>;
};

const withinPatience = (work: Promise<unknown>): Promise<unknown> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** The names of the probes that fail. What exactly is wrong is for the log, not for whoever asks. */
async function failing(probes: OperationsDeps['probes']): Promise<string[]> {
  const asked = Object.entries(probes).map(async ([name, probe]) =>
    withinPatience(probe()).then(
      () => [],
      () => [name],
    ),
  );
  return (await Promise.all(asked)).flat();
}

const NEVER_KEPT = { 'Cache-Control': 'no-store' };

/** What those ask who run the store: is it alive, can it work, what does it do. */
export const operationsRoutes = ({ metrics, probes, readiness }: OperationsDeps) => ({
  health: ((c) => c.json({ status: 'ok' as const }, 200, NEVER_KEPT)) satisfies RouteHandler<'health'>,
  ready: (async (c) => {
    if (!readiness.ask()) {
      throw new Refusal('unavailable', 'This process of the store is stopping.', {
        retryAfter: RETRY_SECONDS,
      });
    }
    const down = await failing(probes);
    if (down.length > 0) {
      throw new Refusal('unavailable', `The store cannot reach its ${down.join(' and its ')}.`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    return c.json({ status: 'ok' as const }, 200, NEVER_KEPT);
  }) satisfies RouteHandler<'ready'>,
  metrics: (async (c) => {
    const { text, type } = await metrics.read();
    return c.body(text, 200, { 'Content-Type': type, ...NEVER_KEPT });
  }) satisfies RouteHandler<'metrics'>,
});
