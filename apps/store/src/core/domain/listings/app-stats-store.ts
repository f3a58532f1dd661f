import { sql } from 'kysely';
import { insertMissing } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import type { StarsColumn } from '../../../platform/database/tables/columns.ts';
import type { AppStats } from './popularity.ts';

/** Updates the rank of an app in the catalogue from its statistics. Run it in the transaction that changes them. */
export async function updateRank(
  stores: {
    appStats: AppStatsStore;
    listings: { updateRank(appId: string, stats: AppStats): Promise<void> };
  },
  appId: string,
): Promise<void> {
  await stores.listings.updateRank(appId, appStatsOf(await stores.appStats.of(appId)));
}

/** The number of ratings with one, two, three, four and five stars. */
export type Histogram = readonly [number, number, number, number, number];

/** The statistics of an app, listed or not. */
export type StoredAppStats = { installs: number; stars: Histogram };

/** The average of ratings, 0 when there is none, and how many there are. */
export function ratingOf(stars: Histogram): AppStats['rating'] {
  const count = stars.reduce((sum, n) => sum + n, 0);
  const total = stars.reduce((sum, n, at) => sum + n * (at + 1), 0);
  return { average: count === 0 ? 0 : total / count, count };
}

/** Converts stored statistics to those that the catalogue ranks by. */
export const appStatsOf = ({ installs, stars }: StoredAppStats): AppStats => ({
  installs,
  rating: ratingOf(stars),
});

const columnOf = (stars: number): StarsColumn => `stars_${stars as 1 | 2 | 3 | 4 | 5}`;

const NOTHING = { installs: 0, stars_1: 0, stars_2: 0, stars_3: 0, stars_4: 0, stars_5: 0 };

/** Reads the statistics of an app; all zero for one without installations and ratings. */
export async function storedAppStatsOf(db: Database, appId: string): Promise<StoredAppStats> {
  const row = await db.selectFrom('app_figures').selectAll().where('app_id', '=', appId).executeTakeFirst();
  const { installs, stars_1, stars_2, stars_3, stars_4, stars_5 } = row ?? NOTHING;
  return { installs, stars: [stars_1, stars_2, stars_3, stars_4, stars_5] };
}

export const createAppStatsStore = (db: Database) => ({
  of: (appId: string): Promise<StoredAppStats> => storedAppStatsOf(db, appId),
  /** Adds to the installation counts, by app. */
  async addInstalls(installs: ReadonlyMap<string, number>): Promise<void> {
    if (installs.size === 0) return;
    await db
      .insertInto('app_figures')
      .values(Array.from(installs, ([appId, more]) => ({ ...NOTHING, app_id: appId, installs: more })))
      .onConflict((conflict) =>
        conflict.column('app_id').doUpdateSet({ installs: sql`app_figures.installs + excluded.installs` }),
      )
      .execute();
  },
  /** Replaces one rating by another in the counts; null when there is none. */
  async adjustHistogram(appId: string, from: number | null, to: number | null): Promise<void> {
    if (from === to) return;
    await insertMissing(db.insertInto('app_figures').values({ app_id: appId, ...NOTHING }));
    const less = from === null ? {} : { [columnOf(from)]: sql`${sql.ref(columnOf(from))} - 1` };
    const more = to === null ? {} : { [columnOf(to)]: sql`${sql.ref(columnOf(to))} + 1` };
    await db
      .updateTable('app_figures')
      .set({ ...less, ...more })
      .where('app_id', '=', appId)
      .execute();
  },
});

export type AppStatsStore = ReturnType<typeof createAppStatsStore>;
