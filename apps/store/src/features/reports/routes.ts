import type { RouteHandler } from '../../access/bind-route.ts';
import { setRateLimitHeaders } from '../../access/rate-limit-headers.ts';
import type { AppStore } from '../../domain/versions/app-store.ts';
import { decideReports, type ReportDeps, reportApp, reportedVersions, reporterOf } from './report.ts';
import type { ReportStore } from './report-store.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes of users who report apps, and of moderators who decide. */
export const reportRoutes = (deps: ReportDeps & { reports: ReportStore; apps: AppStore }) => ({
  reportApp: (async (c, { params, body }) => {
    const { report, quota } = await reportApp(deps, c.get('caller'), params.appId, body);
    setRateLimitHeaders(c, quota);
    return c.json(report, 201, NO_STORE);
  }) satisfies RouteHandler<'reportApp'>,
  myReports: (async (c) =>
    c.json(
      { reports: await deps.reports.of(reporterOf(c.get('caller')).id) },
      200,
      NO_STORE,
    )) satisfies RouteHandler<'myReports'>,
  reportedVersions: (async (c) =>
    c.json(
      await reportedVersions(deps, c.get('caller')),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'reportedVersions'>,
  decideReports: (async (c, { params, body }) =>
    c.json(
      { decided: await decideReports(deps, c.get('caller'), params, body) },
      200,
      NO_STORE,
    )) satisfies RouteHandler<'decideReports'>,
});
