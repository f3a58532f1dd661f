import type { PublishingRules, Suspension } from '@svc/contracts';
import { type Selectable, sql } from 'kysely';
import { beginsWith } from '../../platform/database/begins-with.ts';
import { isAfterPlace } from '../../platform/database/is-after-place.ts';
import { type Database, flag, type Tables } from '../../platform/database/schema.ts';
import { updateVisibilityOfApp } from '../../platform/database/visibility.ts';
import type { SortedPlace } from '../../platform/page-of.ts';

/** An app and its publisher, from the first upload on. */
export type AppOwner = {
  appId: string;
  publisher: string;
  suspended: boolean;
  suspension?: Suspension;
  /** Whether only trusted publishers may publish it. */
  trustedOnly?: true;
  /** Whether each version waits for a member of the publisher. */
  confirmUploads?: true;
};

/** An app with its name in the newest upload, and when it was first uploaded. */
export type NamedApp = AppOwner & { name: string; createdAt: string };

export type AppSort = 'id' | 'publisher' | 'created';

/**
 * A search for apps that match all filters. `beginning` is a prefix of the id or of the name in the newest upload, `after` the end of the
 * previous page.
 */
export type AppSearch = {
  beginning?: string | undefined;
  publisher?: string | undefined;
  suspended?: boolean | undefined;
  sort: AppSort;
  direction: 'asc' | 'desc';
  after: SortedPlace | null;
  limit: number;
};

const appOf = (row: Selectable<Tables['apps']>): AppOwner => ({
  appId: row.app_id,
  publisher: row.publisher,
  suspended: row.suspended === 1,
  ...(row.suspension_json !== null && { suspension: JSON.parse(row.suspension_json) as Suspension }),
  ...(row.trusted_only === 1 && { trustedOnly: true }),
  ...(row.confirm_uploads === 1 && { confirmUploads: true }),
});

const SORT_COLUMNS: Readonly<Record<AppSort, string>> = {
  id: 'apps.app_id',
  publisher: 'apps.publisher',
  created: 'apps.created_at',
};

export const placeOfApp = ({ appId, publisher, createdAt }: NamedApp, sort: AppSort): SortedPlace => ({
  key: { id: appId, publisher, created: createdAt }[sort],
  id: appId,
});

export function createAppStore(db: Database) {
  return {
    async find(appId: string): Promise<AppOwner | null> {
      const row = await db.selectFrom('apps').selectAll().where('app_id', '=', appId).executeTakeFirst();
      return row ? appOf(row) : null;
    },
    async add({ appId, publisher, suspended, createdAt }: AppOwner & { createdAt: string }): Promise<void> {
      await db
        .insertInto('apps')
        .values({ app_id: appId, publisher, suspended: flag(suspended), created_at: createdAt })
        .execute();
    },
    /** Sets who may publish an app of a publisher, and whether its versions wait; false when it has no such app. */
    async setRules(
      publisher: string,
      appId: string,
      { trustedOnly, confirm }: PublishingRules,
    ): Promise<boolean> {
      const set = await db
        .updateTable('apps')
        .set({ trusted_only: flag(trustedOnly), confirm_uploads: flag(confirm) })
        .where('app_id', '=', appId)
        .where('publisher', '=', publisher)
        .returning('app_id')
        .executeTakeFirst();
      return set !== undefined;
    },
    async withRules(publisher: string): Promise<AppOwner[]> {
      const rows = await db
        .selectFrom('apps')
        .selectAll()
        .where('publisher', '=', publisher)
        .where((app) => app.or([app('trusted_only', '=', 1), app('confirm_uploads', '=', 1)]))
        .orderBy('app_id')
        .execute();
      return rows.map(appOf);
    },
    /** Searches apps: `limit` of them, and one more when there are more. */
    async search({
      beginning,
      publisher,
      suspended,
      sort,
      direction,
      after,
      limit,
    }: AppSearch): Promise<NamedApp[]> {
      const key = sql.ref(SORT_COLUMNS[sort]);
      let query = db
        .selectFrom('apps')
        .leftJoin('versions', (join) =>
          join.onRef('versions.app_id', '=', 'apps.app_id').on('versions.superseded', '=', 0),
        )
        .selectAll('apps')
        .select('versions.name');
      if (beginning !== undefined)
        query = query.where(beginsWith(['apps.app_id', 'versions.name'], beginning));
      if (publisher !== undefined) query = query.where('apps.publisher', '=', publisher);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      // The index covers the id alone, and not a row value that contains it twice.
      if (after && sort === 'id')
        query = query.where('apps.app_id', direction === 'asc' ? '>' : '<', after.id);
      else if (after)
        query = query.where(isAfterPlace({ key, id: sql.ref('apps.app_id'), direction }, after));
      const rows = await query
        .orderBy(key, direction)
        .orderBy('apps.app_id', direction)
        .limit(limit + 1)
        .execute();
      return rows.map((row) => ({ ...appOf(row), name: row.name ?? row.app_id, createdAt: row.created_at }));
    },
    /** The names of apps in their newest uploads, by app id. */
    async namesOf(appIds: readonly string[]): Promise<Map<string, string>> {
      if (appIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('versions')
        .select(['app_id', 'name'])
        .where('app_id', 'in', appIds)
        .where('superseded', '=', 0)
        .execute();
      return new Map(rows.map(({ app_id, name }) => [app_id, name]));
    },
    /** Suspends an app, or ends its suspension with null; null when there is no such app. */
    async suspend(appId: string, suspension: Suspension | null): Promise<AppOwner | null> {
      const row = await db
        .updateTable('apps')
        .set({
          suspended: flag(suspension !== null),
          suspension_json: suspension && JSON.stringify(suspension),
        })
        .where('app_id', '=', appId)
        .returningAll()
        .executeTakeFirst();
      await updateVisibilityOfApp(db, appId);
      return row ? appOf(row) : null;
    },
  };
}

export type AppStore = ReturnType<typeof createAppStore>;
