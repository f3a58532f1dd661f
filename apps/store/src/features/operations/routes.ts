import type { SettingsInForce } from '@svc/contracts';
import type { RouteHandler } from '../../access/bind-route.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { runProbes } from '../../platform/probe.ts';
import { gaugesText } from './gauges.ts';
import { type HealthDeps, storeCounts, storeHealth } from './health.ts';
import type { Readiness } from './readiness.ts';

const RETRY_SECONDS = 5;

export type OperationsDeps = HealthDeps &
  Pick<Parts, 'accessRules'> & {
    metrics: Metrics;
    readiness: Pick<Readiness, 'ask'>;
    settingsInForce: SettingsInForce['settings'];
    localApps: boolean;
  };

const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes for operators: liveness, readiness, health, settings and metrics. */
export const operationsRoutes = ({
  metrics,
  readiness,
  settingsInForce,
  localApps,
  accessRules,
  ...deps
}: OperationsDeps) => ({
  storeFacts: ((c) =>
    c.json({ localApps, read: accessRules.now().read }, 200, NO_STORE)) satisfies RouteHandler<'storeFacts'>,
  health: ((c) => c.json({ status: 'ok' as const }, 200, NO_STORE)) satisfies RouteHandler<'health'>,
  ready: (async (c) => {
    if (!readiness.ask()) {
      throw new ApiError('unavailable', 'This process of the store is stopping: try another one.', {
        retryAfter: RETRY_SECONDS,
      });
    }
    const down = (await runProbes(deps.probes)).filter(({ ok }) => !ok).map(({ name }) => name);
    if (down.length > 0) {
      throw new ApiError('unavailable', `The store cannot reach its ${down.join(' and its ')}.`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    return c.json({ status: 'ok' as const }, 200, NO_STORE);
  }) satisfies RouteHandler<'ready'>,
  storeHealth: (async (c) =>
    c.json(await storeHealth(deps), 200, NO_STORE)) satisfies RouteHandler<'storeHealth'>,
  settingsInForce: ((c) =>
    c.json({ settings: [...settingsInForce] }, 200, NO_STORE)) satisfies RouteHandler<'settingsInForce'>,
  metrics: (async (c) => {
    const { text, type } = await metrics.read();
    // Without a database the counts of this process must still be read.
    const gauges = await storeCounts(deps).then(gaugesText, () => '');
    return c.body(text + gauges, 200, { 'Content-Type': type, ...NO_STORE });
  }) satisfies RouteHandler<'metrics'>,
});
