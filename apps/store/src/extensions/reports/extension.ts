import { versionOfSubject } from '@svc/contracts';
import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { letters } from './letters.ts';
import { type ReportDeps, tellReporters } from './report.ts';
import { createReportStore } from './report-store.ts';
import { reportRoutes } from './routes.ts';
import { createTraces } from './traces.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const reportQueries = (db: Database) => ({ reports: createReportStore(db) });

type Needs = Omit<ReportDeps, 'unitOfWork'> & Pick<Parts, 'apps' | 'db' | 'retentionDays' | 'unitOfWork'>;

/** Users report apps, and moderators decide. */
export const reports: Extension<Needs> = {
  name: 'reports',
  open: (parts) => ({
    routes: reportRoutes(withQueries(parts, reportQueries)),
    letters,
    additions: {
      appLink: (appId) => ({
        path: `/account/apps/${encodeURIComponent(appId)}/report`,
        label: 'Report this app',
      }),
    },
    hooks: {
      ...createTraces(parts),
      isWaiting: async ({ db, apps }, kind, subject, own) => {
        const ref = versionOfSubject(subject);
        if (kind !== 'report' || own.has((await apps.find(ref.appId))?.publisher ?? '')) return false;
        return (await createReportStore(db).read(ref)).length > 0;
      },
      decisionEnded: (stores, _caller, taken, { note }) =>
        tellReporters(parts, { ...stores, ...reportQueries(stores.db) }, taken, note),
    },
  }),
};
