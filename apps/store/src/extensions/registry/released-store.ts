import type { Deprecation, Manifest } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { allOf } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A published or yanked version, its app's latest version, and when its state last changed. */
export type Released = VersionRef & {
  isYanked: boolean;
  /** Whether the app or its publisher is suspended. */
  isSuspended: boolean;
  /** Why the version, or the app, should not be used any more. */
  deprecation: string | null;
  latest: string | null;
  changedAt: string | null;
};

export type ReleasedQuery = {
  limit: number;
  withYanked: boolean;
};

/** A version and the time of its last change, by which a list of changes continues. */
export type ChangeRef = VersionRef & { changedAt: string };

/** Matches versions that are shown: published ones of listed apps, or also yanked and suspended ones. Literals, for partial indexes. */
const isShown = (withYanked: boolean) =>
  withYanked
    ? sql<SqlBool>`(versions.state = 'yanked' or versions.state = 'published')`
    : sql<SqlBool>`versions.state = 'published' and listings.hidden = 0`;

const changedAt = sql<
  string | null
>`(select max(moved_at) from version_moves where version_moves.app_id = versions.app_id and version_moves.version = versions.version)`;

/** The last change of a released version: the move to the state that it has. Literals, for the partial index. */
const isLastChange = sql<SqlBool>`m.to_state in ('published', 'yanked') and m.to_state = versions.state
  and not exists (select 1 from version_moves later where later.app_id = m.app_id and later.version = m.version
    and later.moved_at > m.moved_at)`;

/** Reads the released versions of all apps. */
export function createReleasedStore(db: Database) {
  const shown = (withYanked: boolean) =>
    db
      .selectFrom('versions')
      .leftJoin('apps', 'apps.app_id', 'versions.app_id')
      .leftJoin('listings', 'listings.app_id', 'versions.app_id')
      .select([
        'versions.app_id',
        'versions.version',
        'versions.state',
        'versions.deprecated',
        'apps.deprecation_json',
        'listings.version as latest',
        'listings.hidden',
      ])
      .select(changedAt.as('changed_at'))
      .where(isShown(withYanked));
  type Row = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number];
  const releasedOf = ({ app_id, version, state, latest, hidden, changed_at, ...row }: Row): Released => ({
    ...{ appId: app_id, version, latest },
    isYanked: state === 'yanked',
    isSuspended: hidden === 1,
    deprecation:
      row.deprecated ??
      (row.deprecation_json === null ? null : (JSON.parse(row.deprecation_json) as Deprecation).note),
    changedAt: changed_at,
  });
  return {
    async page(after: VersionRef | null, { limit, withYanked }: ReleasedQuery): Promise<Released[]> {
      const { appId, version } = after ?? { appId: '', version: '' };
      const rows = await shown(withYanked)
        .where(sql<SqlBool>`(versions.app_id, versions.version) > (${appId}, ${version})`)
        .orderBy('versions.app_id')
        .orderBy('versions.version')
        .limit(limit)
        .execute();
      return rows.map(releasedOf);
    },
    /** Those with an exact version, by app. */
    withVersion: (
      version: string,
      after: VersionRef | null,
      { limit, withYanked }: ReleasedQuery,
    ): Promise<Released[]> =>
      allOf(
        shown(withYanked)
          .where('versions.version', '=', version)
          .where('versions.app_id', '>', after?.appId ?? '')
          .orderBy('versions.app_id')
          .limit(limit),
        releasedOf,
      ),
    /**
     * The released versions that were published or yanked at or after a time, oldest change first, from after one on. A version that
     * changes between two pages moves to the end: it is read again, never missed.
     */
    async changes(
      since: string,
      after: ChangeRef | null,
      { limit, withYanked }: ReleasedQuery,
    ): Promise<Released[]> {
      const { changedAt: at, appId, version } = after ?? { changedAt: since, appId: '', version: '' };
      const rows = await shown(withYanked)
        .innerJoin('version_moves as m', (join) =>
          join.onRef('m.app_id', '=', 'versions.app_id').onRef('m.version', '=', 'versions.version'),
        )
        .where(isLastChange)
        // One bound: beside another on the time, SQLite would begin at that one.
        .where(sql<SqlBool>`(m.moved_at, m.app_id, m.version) > (${at}, ${appId}, ${version})`)
        .orderBy('m.moved_at')
        .orderBy('m.app_id')
        .orderBy('m.version')
        .limit(limit)
        .execute();
      return rows.map(releasedOf);
    },
    /** The released versions of one app, in no order. */
    async ofApp(appId: string, withYanked: boolean): Promise<Released[]> {
      return (await shown(withYanked).where('versions.app_id', '=', appId).execute()).map(releasedOf);
    },
    /** The published versions of listed apps, by app and version, from after one on, and whether each is the latest of its app. */
    publishedAfter: (
      { appId, version }: VersionRef,
      limit: number,
    ): Promise<(VersionRef & { isLatest: boolean })[]> =>
      allOf(
        db
          .selectFrom('versions')
          .innerJoin('listings', 'listings.app_id', 'versions.app_id')
          .select(['versions.app_id as appId', 'versions.version', 'listings.version as latest'])
          .where(isShown(false))
          .where(sql<SqlBool>`(versions.app_id, versions.version) > (${appId}, ${version})`)
          // PostgreSQL does not conclude it for the joined rows, and reads them from the first app on.
          .where('listings.app_id', '>=', appId)
          .orderBy('versions.app_id')
          .orderBy('versions.version')
          .limit(limit),
        ({ latest, ...ref }) => ({ ...ref, isLatest: ref.version === latest }),
      ),
    /** The manifests of some versions, in no order. */
    async manifestsOf(refs: readonly VersionRef[]): Promise<(VersionRef & { manifest: Manifest })[]> {
      const keys = sql.join(refs.map(({ appId, version }) => sql`(${appId}, ${version})`));
      const rows = await db
        .selectFrom('versions')
        .select(['app_id as appId', 'version', 'manifest_json'])
        .where(sql<SqlBool>`(app_id, version) in (values ${keys})`)
        .execute();
      return rows.map(({ manifest_json, ...ref }) => ({
        ...ref,
        manifest: JSON.parse(manifest_json) as Manifest,
      }));
    },
    /** One version of each of some listed apps: its latest one, or an exact one. */
    async oneOf(appIds: readonly string[], version: string | null): Promise<Released[]> {
      if (appIds.length === 0) return [];
      const among = shown(false).where('versions.app_id', 'in', appIds);
      const rows = await (version === null
        ? among.whereRef('versions.version', '=', 'listings.version')
        : among.where('versions.version', '=', version)
      ).execute();
      return rows.map(releasedOf);
    },
  };
}

export type ReleasedStore = ReturnType<typeof createReleasedStore>;
