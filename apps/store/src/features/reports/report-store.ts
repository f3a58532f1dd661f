import type { Report, ReportCategory, ReportOutcome } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { fieldsOf } from '../../platform/database/fields.ts';
import { allOf, run } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** An open report, with how earlier reports of the same user were decided. */
export type OpenReport = VersionRef & {
  id: string;
  publisher: string;
  category: ReportCategory;
  evidence: string;
  reportedAt: string;
  installs: number;
  upheld: number;
  dismissed: number;
};

/** Reports of a user that are listed. */
const LISTED = 100;

/** Open reports that the queue reads: the newest, so that old spam does not hide what is new. */
const MAX_OPEN = 2_000;

/** A literal, as in the condition of the index. */
const IS_OPEN = sql<SqlBool>`r.state = 'open'`;

function reportOf(row: Selectable<Tables['reports']>): Report {
  const { publisher: _publisher, personId: _by, decidedBy: _moderator, ...report } = fieldsOf(row);
  return report;
}

/** The number of reports of the user of `r` with an outcome. */
const countOf = (outcome: ReportOutcome) => sql<number>`(select cast(count(*) as integer) from reports e
  where e.person_id = r.person_id and e.state = ${sql.lit(outcome)})`;

/** Stores reports of apps. */
export const createReportStore = (db: Database) => ({
  /** Adds a report, or replaces the open one of the user about the version; null when that one is decided. */
  async put(
    report: VersionRef & {
      id: string;
      publisher: string;
      personId: string;
      category: ReportCategory;
      evidence: string;
      at: string;
    },
  ): Promise<Report | null> {
    const said = { category: report.category, evidence: report.evidence, reported_at: report.at };
    const row = await db
      .insertInto('reports')
      .values({
        id: report.id,
        app_id: report.appId,
        version: report.version,
        publisher: report.publisher,
        person_id: report.personId,
        state: 'open',
        ...said,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['person_id', 'app_id', 'version'])
          .doUpdateSet(said)
          .where('reports.state', '=', 'open'),
      )
      .returningAll()
      .executeTakeFirst();
    return row ? reportOf(row) : null;
  },
  /** The last reports of a user, newest first. */
  of: (personId: string): Promise<Report[]> =>
    allOf(
      db
        .selectFrom('reports')
        .selectAll()
        .where('person_id', '=', personId)
        .orderBy('reported_at', 'desc')
        .orderBy('id')
        .limit(LISTED),
      reportOf,
    ),
  open: (): Promise<OpenReport[]> =>
    allOf(
      db
        .selectFrom('reports as r')
        .leftJoin('app_figures as f', 'f.app_id', 'r.app_id')
        .select(['r.id', 'r.app_id as appId', 'r.version', 'r.publisher', 'r.category', 'r.evidence'])
        .select(['r.reported_at as reportedAt', 'f.installs'])
        .select([countOf('upheld').as('upheld'), countOf('dismissed').as('dismissed')])
        .where(IS_OPEN)
        .orderBy('r.reported_at', 'desc')
        .limit(MAX_OPEN),
      (row) => ({ ...row, installs: row.installs ?? 0 }),
    ),
  /** Decides on the open reports of a version. @returns the users who sent them */
  decide: (
    { appId, version }: VersionRef,
    { outcome, note, by, at }: { outcome: ReportOutcome; note: string; by: string; at: string },
  ): Promise<string[]> =>
    allOf(
      db
        .updateTable('reports')
        .set({ state: outcome, note, decided_by: by, decided_at: at })
        .where('app_id', '=', appId)
        .where('version', '=', version)
        .where('state', '=', 'open')
        .returning('person_id'),
      ({ person_id }) => person_id,
    ),
  /** Deletes reports that were decided at a time or before, with who sent them and what they said. */
  purgeDecided: (at: string): Promise<void> => run(db.deleteFrom('reports').where('decided_at', '<=', at)),
});

export type ReportStore = ReturnType<typeof createReportStore>;
