import type { OwnApp, VersionState } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { fieldsOf } from '../../../platform/database/fields.ts';
import type { Database } from '../../../platform/database/schema.ts';
import type { VersionRecord } from '../../domain/versions/version-record.ts';

/** An app of a publisher, with the number of its versions by state. States without versions are left out of `counts`. */
export type OwnAppRecord = Pick<
  OwnApp,
  'appId' | 'name' | 'suspended' | 'createdAt' | 'newest' | 'listed'
> & {
  counts: Partial<Record<VersionState, number>>;
};

/** A version, without the details that only its page shows. */
export type OwnVersionRecord = Pick<
  VersionRecord,
  'version' | 'state' | 'submittedAt' | 'publishedAt' | 'sha256' | 'size' | 'reasons' | 'notes' | 'retracted'
>;

/** Apps of a publisher with their listing and their newest upload, which no other one supersedes. */
const appsOf = (db: Database, publisher: string) =>
  db
    .selectFrom('apps')
    .innerJoin('versions', (join) =>
      // Written out, so that SQLite can see that a partial index covers it.
      join.onRef('versions.app_id', '=', 'apps.app_id').on(sql<SqlBool>`versions.superseded = 0`),
    )
    .leftJoin('listings', 'listings.app_id', 'apps.app_id')
    .select(['apps.app_id', 'apps.suspended', 'apps.created_at'])
    .select(['versions.version', 'versions.name', 'versions.state', 'versions.submitted_at'])
    .select(['versions.changes_requested_at', 'versions.reasons_json', 'versions.retracted'])
    .select(['listings.version as listed', 'listings.updated_at', 'listings.installs'])
    .select(['listings.rating_average', 'listings.rating_count'])
    .where('apps.publisher', '=', publisher)
    .orderBy('apps.app_id');

type Row = Awaited<ReturnType<ReturnType<typeof appsOf>['execute']>>[number];

const listedOf = (row: Row): OwnAppRecord['listed'] =>
  row.listed === null || row.updated_at === null
    ? null
    : {
        version: row.listed,
        publishedAt: row.updated_at,
        installs: row.installs ?? 0,
        rating: { average: row.rating_average ?? 0, count: row.rating_count ?? 0 },
      };

/** Whether a version goes on only when a member of its publisher acts. */
const needsPublisher = ({ state, retracted, changes_requested_at, reasons_json }: Row): boolean =>
  (state === 'rejected' && retracted === 0) ||
  changes_requested_at !== null ||
  (state === 'in_review' && JSON.parse(reasons_json).includes('publisher-confirmation'));

const appOf = (row: Row, counts: OwnAppRecord['counts']): OwnAppRecord => ({
  appId: row.app_id,
  name: row.name,
  suspended: row.suspended === 1,
  createdAt: row.created_at,
  newest: {
    version: row.version,
    status: row.state as VersionState,
    submittedAt: row.submitted_at,
    needsYou: needsPublisher(row),
  },
  counts,
  listed: listedOf(row),
});

/** The number of versions of some apps by state, by app. */
async function countStates(db: Database, appIds: string[]): Promise<Map<string, OwnAppRecord['counts']>> {
  if (appIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('versions')
    .select(({ fn }) => ['app_id', 'state', fn.countAll().as('count')])
    .where('app_id', 'in', appIds)
    .groupBy(['app_id', 'state'])
    .execute();
  return new Map(
    Array.from(
      Map.groupBy(rows, ({ app_id }) => app_id),
      ([appId, states]) => [
        appId,
        Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
      ],
    ),
  );
}

async function withCounts(db: Database, rows: Row[]): Promise<OwnAppRecord[]> {
  const counts = await countStates(
    db,
    rows.map(({ app_id }) => app_id),
  );
  return rows.map((row) => appOf(row, counts.get(row.app_id) ?? {}));
}

export const createOwnAppStore = (db: Database) => ({
  /** Apps of a publisher in the order of their ids, after a given one. */
  async page(publisher: string, limit: number, after: string | null): Promise<OwnAppRecord[]> {
    const query = appsOf(db, publisher).limit(limit);
    const rows = await (after === null ? query : query.where('apps.app_id', '>', after)).execute();
    return withCounts(db, rows);
  },
  /** An app of this publisher; null when it is not. */
  async find(publisher: string, appId: string): Promise<OwnAppRecord | null> {
    const rows = await appsOf(db, publisher).where('apps.app_id', '=', appId).execute();
    return (await withCounts(db, rows))[0] ?? null;
  },
  /** The installs of some apps by day, from a day on; days without any are left out. */
  installsSince: (appIds: readonly string[], day: string) =>
    appIds.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom('install_counts')
          .select(({ fn }) => ['app_id as appId', 'day', fn.sum('installs').as('installs')])
          .where('app_id', 'in', appIds)
          .where('day', '>=', day)
          .groupBy(['app_id', 'day'])
          .execute(),
  /** Versions of an app, the newest upload first, after a given one. */
  async versions(
    appId: string,
    limit: number,
    after: readonly [submittedAt: string, version: string] | null,
  ): Promise<OwnVersionRecord[]> {
    const query = db
      .selectFrom('versions')
      .select(['version', 'state', 'submitted_at', 'published_at', 'sha256', 'size'])
      .select(['reasons_json', 'notes', 'retracted'])
      .where('app_id', '=', appId)
      .orderBy('submitted_at', 'desc')
      .orderBy('version', 'desc')
      .limit(limit);
    const behind = after && sql<boolean>`(submitted_at, version) < (${after[0]}, ${after[1]})`;
    const rows = await (behind ? query.where(behind) : query).execute();
    return rows.map((row) => ({
      ...fieldsOf(row),
      state: row.state as VersionState,
      reasons: JSON.parse(row.reasons_json),
      retracted: row.retracted === 1,
    }));
  },
});

export type OwnAppStore = ReturnType<typeof createOwnAppStore>;
