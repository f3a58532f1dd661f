import type { Report, ReportCategory, ReportOutcome, VersionState } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { fieldsOf } from '../../platform/database/fields.ts';
import { allOf, run } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** An open report, with how earlier reports of the same user were decided. */
export type OpenReport = VersionRef & {
  id: string;
  category: ReportCategory;
  evidence: string;
  reportedAt: string;
  upheld: number;
  dismissed: number;
};

/** The open reports of a version in a category. */
export type ReportedCategory = VersionRef & {
  publisher: string;
  /** The state of the version now. */
  status: VersionState;
  category: ReportCategory;
  installs: number;
  /** How many there are, and what they count for together. */
  reports: number;
  weight: number;
  firstAt: string;
  lastAt: string;
};

/** Reports of a user that are listed. */
const LISTED = 100;

/** Open reports of a version in a category that a moderator reads: those that count for most. */
const READ = 20;

/** Groups of open reports, each of a version and a category, that the queue reads: the most serious. */
const MAX_GROUPS = 500;

/** What a report counts for at most. */
export const FULL_WEIGHT = 1_000;

/** How bad it is for users if a report is right. */
export const SEVERITY: Readonly<Record<ReportCategory, number>> = {
  malware: 100,
  impersonation: 40,
  rights: 15,
  excessive: 10,
  broken: 4,
  spam: 2,
};

/** The most that the users behind the reports of a category count, however many accounts they have. */
const MAX_WEIGHT = 3;

/** A literal, as in the condition of the index. */
const IS_OPEN = sql<SqlBool>`r.state = 'open'`;

function reportOf(row: Selectable<Tables['reports']>): Report {
  const {
    publisher: _publisher,
    personId: _by,
    decidedBy: _moderator,
    domain: _d,
    network: _n,
    weight: _w,
    ...report
  } = fieldsOf(row);
  return report;
}

/** The number of reports of the user of `r` with an outcome. */
const countOf = (outcome: ReportOutcome) => sql<number>`(select cast(count(*) as integer) from reports e
  where e.person_id = r.person_id and e.state = ${sql.lit(outcome)})`;

const severity = sql`case r.category ${sql.join(
  Object.entries(SEVERITY).map(
    ([category, points]) => sql`when ${sql.lit(category)} then ${sql.lit(points)}`,
  ),
  sql` `,
)} else 0 end`;

/** What the open reports of each version and category count for, where all of a network, or of an email domain, count as one. */
const countedBy = (origin: 'domain' | 'network') => sql`(
  select app_id, version, category, sum(best) as weight from (
    select r.app_id, r.version, r.category, max(r.weight) as best from reports r where ${IS_OPEN}
    group by r.app_id, r.version, r.category, r.${sql.ref(origin)}) as of_origin
  group by app_id, version, category)`;

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
      /** From where it came, and how far its user is trusted: at most `FULL_WEIGHT`. */
      domain: string;
      network: string;
      weight: number;
    },
  ): Promise<Report | null> {
    const { category, evidence, domain, network, weight } = report;
    const said = { category, evidence, reported_at: report.at, domain, network, weight };
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
  /** How the reports of a user were decided. */
  recordOf: async (personId: string): Promise<{ upheld: number; dismissed: number }> => {
    const rows = await db
      .selectFrom('reports')
      .select(({ fn }) => ['state', fn.countAll<number>().as('n')])
      .where('person_id', '=', personId)
      .groupBy('state')
      .execute();
    const of = (outcome: ReportOutcome) => Number(rows.find(({ state }) => state === outcome)?.n ?? 0);
    return { upheld: of('upheld'), dismissed: of('dismissed') };
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
  /**
   * The open reports by version and category, the most serious first: by severity, weight and installs, all of it before the cut.
   * @param except publishers of the caller, whose reports others read
   */
  async open(except: readonly string[]): Promise<ReportedCategory[]> {
    const limit = sql.lit(MAX_WEIGHT * FULL_WEIGHT);
    const lower = sql`case when d.weight < n.weight then d.weight else n.weight end`;
    const counted = sql`case when ${lower} < ${limit} then ${lower} else ${limit} end`;
    const others = except.length === 0 ? sql`` : sql`and r.publisher not in (${sql.join([...except])})`;
    const { rows } = await sql<ReportedCategory>`
      select r.app_id as "appId", r.version, r.category, max(r.publisher) as publisher, max(v.state) as status,
        cast(count(*) as integer) as reports, min(r.reported_at) as "firstAt", max(r.reported_at) as "lastAt",
        coalesce(max(f.installs), 0) as installs, cast(max(${counted}) as integer) as weight
      from reports r
        join versions v on v.app_id = r.app_id and v.version = r.version
        join ${countedBy('domain')} as d on d.app_id = r.app_id and d.version = r.version and d.category = r.category
        join ${countedBy('network')} as n on n.app_id = r.app_id and n.version = r.version and n.category = r.category
        left join app_figures f on f.app_id = r.app_id
      where ${IS_OPEN} ${others}
      group by r.app_id, r.version, r.category
      order by max(${severity}) * max(${counted}) * length(cast(10 + coalesce(max(f.installs), 0) as text)) desc,
        min(r.reported_at), r.app_id, r.version
      limit ${sql.lit(MAX_GROUPS)}`.execute(db);
    return rows.map((row) => ({ ...row, weight: row.weight / FULL_WEIGHT }));
  },
  /** Open reports of a version to read: of each category those that count for most, and of these the newest. */
  async read({ appId, version }: VersionRef): Promise<OpenReport[]> {
    const { rows } = await sql<OpenReport>`
      select id, "appId", version, category, evidence, "reportedAt", upheld, dismissed from (
        select r.id, r.app_id as "appId", r.version, r.category, r.evidence, r.reported_at as "reportedAt",
          ${countOf('upheld')} as upheld, ${countOf('dismissed')} as dismissed,
          row_number() over (partition by r.category order by r.weight desc, r.reported_at desc, r.id) as place
        from reports r where r.app_id = ${appId} and r.version = ${version} and ${IS_OPEN}) as placed
      where place <= ${sql.lit(READ)} order by place, "reportedAt" desc`.execute(db);
    return rows;
  },
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
  /** The users whose reports were upheld, with the versions: of one version, or else of an app, or of a publisher. */
  upheldBy: ({
    publisher,
    appId,
    version,
  }: {
    publisher: string;
    appId: string | null;
    version: string | null;
  }): Promise<(VersionRef & { personId: string })[]> => {
    const upheld = db
      .selectFrom('reports')
      .select(['person_id as personId', 'app_id as appId', 'version'])
      .where(sql<SqlBool>`state = 'upheld'`);
    if (appId === null) return upheld.where('publisher', '=', publisher).execute();
    const ofApp = upheld.where('app_id', '=', appId);
    return (version === null ? ofApp : ofApp.where('version', '=', version)).execute();
  },
  /** Deletes reports that were decided at a time or before, with who sent them and what they said. */
  purgeDecided: (at: string): Promise<void> => run(db.deleteFrom('reports').where('decided_at', '<=', at)),
});

export type ReportStore = ReturnType<typeof createReportStore>;
