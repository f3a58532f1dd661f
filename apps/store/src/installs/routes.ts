import type { RouteHandler } from '../http/bind-route.ts';
import { personOf } from '../http/signed-in.ts';
import { type ChartDeps, installChart } from './install-chart.ts';

/** What is a publisher's own is nobody else's to keep. */
const UNKEPT = { 'Cache-Control': 'no-store' };

/** How publishers see how their apps do. */
export const installRoutes = (deps: ChartDeps) => ({
  installChart: (async (c, { params, query }) =>
    c.json(
      await installChart(deps, personOf(c), params, query),
      200,
      UNKEPT,
    )) satisfies RouteHandler<'installChart'>,
});
