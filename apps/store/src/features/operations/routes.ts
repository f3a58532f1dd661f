import type { SettingsInForce } from '@svc/contracts';
import type { Handlers } from '../../access/bind-route.ts';
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
}: OperationsDeps) =>
  ({
    storeFacts: () => ({ localApps, read: accessRules.now().read }),
    health: () => ({ status: 'ok' as const }),
    ready: async () => {
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
      return { status: 'ok' as const };
    },
    storeHealth: () => storeHealth(deps),
    settingsInForce: () => ({ settings: [...settingsInForce] }),
    metrics: async (_request, c) => {
      const { text, type } = await metrics.read();
      // Without a database the counts of this process must still be read.
      const gauges = await storeCounts(deps).then(gaugesText, () => '');
      return c.body(text + gauges, 200, { 'Content-Type': type, ...NO_STORE });
    },
  }) satisfies Handlers;
