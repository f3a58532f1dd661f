import { type SqlBool, sql } from 'kysely';
import type { VersionRef } from '../../domain/versions/version-store.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A published or yanked version, its app's latest version, and when its state last changed. */
export type Released = VersionRef & { isYanked: boolean; latest: string | null; changedAt: string | null };

export type ReleasedQuery = {
  /** Continues after this version. */
  after: VersionRef | null;
  limit: number;
  /** An exact version. */
  version: string | null;
  /** Only versions whose state changed at or after this time. */
  updatedSince: string | null;
  withYanked: boolean;
};

/** Matches versions that are shown: published ones of listed apps, or also yanked ones. Literals, for partial indexes. */
const isShown = (withYanked: boolean) =>
  withYanked
    ? sql<SqlBool>`(versions.state = 'yanked' or (versions.state = 'published' and listings.hidden = 0))`
    : sql<SqlBool>`versions.state = 'published' and listings.hidden = 0`;

const changedAt = sql<
  string | null
>`(select max(moved_at) from version_moves where version_moves.app_id = versions.app_id and version_moves.version = versions.version)`;

/** Reads the released versions of all apps, by app and version. */
export function createReleasedStore(db: Database) {
  const shown = (withYanked: boolean) =>
    db
      .selectFrom('versions')
      .leftJoin('listings', 'listings.app_id', 'versions.app_id')
      .select(['versions.app_id', 'versions.version', 'versions.state', 'listings.version as latest'])
      .select(changedAt.as('changed_at'))
      .where(isShown(withYanked));
  type Row = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number];
  const releasedOf = ({ app_id, version, state, latest, changed_at }: Row): Released => ({
    ...{ appId: app_id, version, latest },
    isYanked: state === 'yanked',
    changedAt: changed_at,
  });
  return {
    async page({ after, limit, version, updatedSince, withYanked }: ReleasedQuery): Promise<Released[]> {
      let query = shown(withYanked).orderBy('versions.app_id').orderBy('versions.version').limit(limit);
      if (after)
        query = query.where(
          sql<SqlBool>`(versions.app_id, versions.version) > (${after.appId}, ${after.version})`,
        );
      if (version !== null) query = query.where('versions.version', '=', version);
      if (updatedSince !== null) query = query.where(changedAt, '>=', updatedSince);
      return (await query.execute()).map(releasedOf);
    },
    /** The released versions of one app, in no order. */
    async ofApp(appId: string, withYanked: boolean): Promise<Released[]> {
      return (await shown(withYanked).where('versions.app_id', '=', appId).execute()).map(releasedOf);
    },
    /** The latest versions of listed apps. */
    async latestOf(appIds: readonly string[]): Promise<Released[]> {
      if (appIds.length === 0) return [];
      const rows = await shown(false)
        .whereRef('versions.version', '=', 'listings.version')
        .where('versions.app_id', 'in', appIds)
        .execute();
      return rows.map(releasedOf);
    },
  };
}

export type ReleasedStore = ReturnType<typeof createReleasedStore>;
