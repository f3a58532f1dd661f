import type { CatalogState, PublishingRules, Suspension, VersionState } from '@svc/contracts';
import { type Selectable, sql } from 'kysely';
import { allOf, firstOf, hasChanged } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { updateVisibilityOfApp } from '../../../platform/database/visibility.ts';
import { type TextSearch, type Walked, walk } from '../../../platform/database/walk.ts';
import type { SortedPlace } from '../../../platform/page-of.ts';
import type { Mover } from './changes.ts';

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

/** An app with its name in the newest upload, its versions and installs, and when it was first uploaded. */
export type NamedApp = AppOwner & {
  name: string;
  state: CatalogState;
  createdAt: string;
  /** The newest upload; null before the first one. */
  newest: { version: string; status: VersionState } | null;
  versions: number;
  installs: number;
};

export type AppSort = 'id' | 'publisher' | 'created';

/**
 * A search for apps that match all filters. The id, the name in the newest upload or the publisher contain `text`; `after` is the end of
 * the previous page.
 */
export type AppSearch = TextSearch & {
  appId?: string | undefined;
  publisher?: string | undefined;
  suspended?: boolean | undefined;
  state?: CatalogState | undefined;
  sort: AppSort;
  direction: 'asc' | 'desc';
};

const appOf = (row: Selectable<Tables['apps']>): AppOwner => ({
  appId: row.app_id,
  publisher: row.publisher,
  suspended: row.suspended === 1,
  ...(row.suspension_json !== null && { suspension: JSON.parse(row.suspension_json) as Suspension }),
  ...(row.trusted_only === 1 && { trustedOnly: true }),
  ...(row.confirm_uploads === 1 && { confirmUploads: true }),
});

const SORT_KEYS = {
  id: sql.ref('apps.app_id'),
  publisher: sql.ref('apps.publisher'),
  created: sql.ref('apps.created_at'),
} satisfies Record<AppSort, unknown>;

/** Where an app is in the catalogue, of the tables that `search` joins. */
const STATE = sql<CatalogState>`case when apps.suspended = 1 or publishers.suspended = 1 then 'suspended'
  when apps.held is not null then 'held' when listings.app_id is null then 'unpublished'
  when apps.delisted = 1 then 'delisted' else 'listed' end`;

export const placeOfApp = (
  { appId, publisher, createdAt }: Pick<NamedApp, 'appId' | 'publisher' | 'createdAt'>,
  sort: AppSort,
): SortedPlace => ({
  key: { id: appId, publisher, created: createdAt }[sort],
  id: appId,
});

/** The number of uploaded versions of some apps. */
async function countVersions(db: Database, appIds: readonly string[]): Promise<Map<string, number>> {
  if (appIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('versions')
    .select(({ fn }) => ['app_id', fn.countAll().as('count')])
    .where('app_id', 'in', appIds)
    .groupBy('app_id')
    .execute();
  return new Map(rows.map(({ app_id, count }) => [app_id, Number(count)]));
}

export function createAppStore(db: Database) {
  return {
    find: (appId: string): Promise<AppOwner | null> =>
      firstOf(db.selectFrom('apps').selectAll().where('app_id', '=', appId), appOf),
    async add({ appId, publisher, suspended, createdAt }: AppOwner & { createdAt: string }): Promise<void> {
      await db
        .insertInto('apps')
        .values({ app_id: appId, publisher, suspended: flag(suspended), created_at: createdAt })
        .execute();
    },
    /** Sets who may publish an app of a publisher, and whether its versions wait; false when it has no such app. */
    setRules: (
      publisher: string,
      appId: string,
      { trustedOnly, confirm }: PublishingRules,
    ): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('apps')
          .set({ trusted_only: flag(trustedOnly), confirm_uploads: flag(confirm) })
          .where('app_id', '=', appId)
          .where('publisher', '=', publisher),
      ),
    withRules: (publisher: string): Promise<AppOwner[]> =>
      allOf(
        db
          .selectFrom('apps')
          .selectAll()
          .where('publisher', '=', publisher)
          .where((app) => app.or([app('trusted_only', '=', 1), app('confirm_uploads', '=', 1)]))
          .orderBy('app_id'),
        appOf,
      ),
    /** Searches apps. */
    async search({ sort, direction, ...search }: AppSearch): Promise<Walked<NamedApp>> {
      const { appId, publisher, suspended, state } = search;
      let query = db
        .selectFrom('apps')
        .innerJoin('publishers', 'publishers.slug', 'apps.publisher')
        .leftJoin('versions', (join) =>
          join.onRef('versions.app_id', '=', 'apps.app_id').on('versions.superseded', '=', 0),
        )
        .leftJoin('listings', 'listings.app_id', 'apps.app_id')
        .selectAll('apps')
        .select(['versions.name', 'versions.version', 'versions.state', 'listings.installs'])
        .select(STATE.as('catalog_state'));
      if (appId !== undefined) query = query.where('apps.app_id', '=', appId);
      if (publisher !== undefined) query = query.where('apps.publisher', '=', publisher);
      if (suspended !== undefined) query = query.where('apps.suspended', '=', flag(suspended));
      if (state !== undefined) query = query.where(STATE, '=', state);
      const order = { key: SORT_KEYS[sort], id: SORT_KEYS.id, direction };
      const columns = ['apps.app_id', 'versions.name', 'apps.publisher'];
      const { rows, end } = await walk(query, order, { ...search, columns }, (row) =>
        placeOfApp({ appId: row.app_id, publisher: row.publisher, createdAt: row.created_at }, sort),
      );
      const versions = await countVersions(
        db,
        rows.map(({ app_id }) => app_id),
      );
      const named = rows.map((row) => ({
        ...appOf(row),
        name: row.name ?? row.app_id,
        state: row.catalog_state,
        createdAt: row.created_at,
        newest: row.version === null ? null : { version: row.version, status: row.state as VersionState },
        versions: versions.get(row.app_id) ?? 0,
        installs: row.installs ?? 0,
      }));
      return { rows: named, end };
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
    async suspend(appId: string, suspension: Suspension | null, _mover: Mover): Promise<AppOwner | null> {
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
