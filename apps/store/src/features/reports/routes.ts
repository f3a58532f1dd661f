import type { Handlers } from '../../access/bind-route.ts';
import { setRateLimitHeaders } from '../../access/context.ts';
import type { ChangeParts } from '../../domain/parts/parts.ts';
import type { AppStore } from '../../domain/versions/app-store.ts';
import { decideReports, reportApp, reportedVersions, reporterOf } from './report.ts';
import type { ReportStore } from './report-store.ts';

/** The routes of users who report apps, and of moderators who decide. */
export const reportRoutes = (
  deps: ChangeParts<{ reports: ReportStore }> & { reports: ReportStore; apps: AppStore },
) =>
  ({
    reportApp: async ({ caller, params, body }, c) => {
      const { report, quota } = await reportApp(deps, caller, params.appId, body);
      setRateLimitHeaders(c, quota);
      return report;
    },
    myReports: async ({ caller }) => ({ reports: await deps.reports.of(reporterOf(caller).id) }),
    reportedVersions: ({ caller }) => reportedVersions(deps, caller),
    decideReports: async ({ caller, params, body }) => ({
      decided: await decideReports(deps, caller, params, body),
    }),
  }) satisfies Handlers;
