import type { Hooks, Parts } from '../../core/domain/parts/parts.ts';
import { allOf, hasRow } from '../../platform/database/queries.ts';
import { createReportStore } from './report-store.ts';

const DAY_MS = 24 * 3_600_000;

/** A row as an ordinary object. */
const plain = (row: object): Record<string, unknown> => ({ ...row });

/** What happens to reports when the core deletes a user or expired rows. */
export const createTraces = ({ db, retentionDays }: Pick<Parts, 'db' | 'retentionDays'>) =>
  ({
    /** Removes what a user wrote. That they reported stays, as decisions refer to it. */
    async personLeaves(stores, personId) {
      await stores.db
        .updateTable('reports')
        .set({ evidence: '' })
        .where('person_id', '=', personId)
        .execute();
    },
    async recordsOf(personId) {
      const reports = db
        .selectFrom('reports')
        .select(['app_id', 'version', 'category', 'evidence', 'state', 'reported_at']);
      return { reports: await allOf(reports.where('person_id', '=', personId), plain) };
    },
    usedApp: (stores, appId) =>
      hasRow(stores.db.selectFrom('reports').select('app_id').where('app_id', '=', appId).limit(1)),
    async purgeExpired(now) {
      if (retentionDays.reports === null) return;
      await createReportStore(db).purgeDecided(
        new Date(now.getTime() - retentionDays.reports * DAY_MS).toISOString(),
      );
    },
  }) satisfies Partial<Hooks>;
