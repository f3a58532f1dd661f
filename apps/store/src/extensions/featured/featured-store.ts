import { allOf, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A featured app, as administrators see it. */
type FeaturedApp = {
  appId: string;
  /** Name in its newest upload. */
  name: string;
  /** Name of its publisher. */
  publisher: string;
  /** The version that the catalogue lists; null while it lists none. */
  version: string | null;
};

export const createFeaturedStore = (db: Database) => ({
  /** The ids of featured apps in order, including those that are not listed. */
  ids: (): Promise<string[]> =>
    allOf(db.selectFrom('featured_apps').select('app_id').orderBy('place'), ({ app_id }) => app_id),
  /** The featured apps in order, with their names. Left joins keep SQLite from reading every publisher. */
  all: (): Promise<FeaturedApp[]> =>
    allOf(
      db
        .selectFrom('featured_apps')
        .leftJoin('apps', 'apps.app_id', 'featured_apps.app_id')
        .leftJoin('publishers', 'publishers.slug', 'apps.publisher')
        .leftJoin('listings', (join) =>
          join.onRef('listings.app_id', '=', 'featured_apps.app_id').on('listings.hidden', '=', 0),
        )
        .leftJoin('versions', (join) =>
          join.onRef('versions.app_id', '=', 'featured_apps.app_id').on('versions.superseded', '=', 0),
        )
        .select(['featured_apps.app_id', 'versions.name', 'publishers.name as publisher', 'listings.version'])
        .orderBy('featured_apps.place'),
      ({ app_id: appId, name, publisher, version }) => ({
        appId,
        name: name ?? appId,
        publisher: publisher ?? '',
        version,
      }),
    ),
  /** Removes an app that is deleted. */
  remove: (appId: string): Promise<void> => run(db.deleteFrom('featured_apps').where('app_id', '=', appId)),
  /** Replaces the featured apps. Run it in a transaction. */
  async set(appIds: readonly string[]): Promise<void> {
    await db.deleteFrom('featured_apps').execute();
    if (appIds.length === 0) return;
    await db
      .insertInto('featured_apps')
      .values(appIds.map((app_id, place) => ({ app_id, place })))
      .execute();
  },
});

export type FeaturedStore = ReturnType<typeof createFeaturedStore>;
