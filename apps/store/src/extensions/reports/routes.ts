import { setRateLimitHeaders } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { decideReports, type ReportDeps, reportApp, reportedVersions, reporterOf } from './report.ts';
import type { ReportStore } from './report-store.ts';

/** The routes of users who report apps, and of moderators who decide. */
export const reportRoutes = (
  deps: ReportDeps & Pick<Parts, 'apps'> & { reports: ReportStore },
): HandlersOf<'reports'> => ({
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
});
