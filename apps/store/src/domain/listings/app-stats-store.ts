import { sql } from 'kysely';
import type { Database, StarsColumn } from '../../platform/database/schema.ts';
import type { AppStats } from './popularity.ts';

/** How many gave one star, two, three, four and five. */
export type Histogram = readonly [number, number, number, number, number];

/** How an app does, whether it is listed or not. */
export type StoredAppStats = { installs: number; stars: Histogram };

/** The average of ratings, 0 when there is none, and how many there are. */
export function ratingOf(stars: Histogram): AppStats['rating'] {
  const count = stars.reduce((sum, n) => sum + n, 0);
  const total = stars.reduce((sum, n, at) => sum + n * (at + 1), 0);
  return { average: count === 0 ? 0 : total / count, count };
}

/** A standing as the catalogue weighs it. */
export const appStatsOf = ({ installs, stars }: StoredAppStats): AppStats => ({
  installs,
  rating: ratingOf(stars),
});

const columnOf = (stars: number): StarsColumn => `stars_${stars as 1 | 2 | 3 | 4 | 5}`;

const NOTHING = { installs: 0, stars_1: 0, stars_2: 0, stars_3: 0, stars_4: 0, stars_5: 0 };

/** How an app stands; nothing is known of one that nobody has installed or rated. */
export async function storedAppStatsOf(db: Database, appId: string): Promise<StoredAppStats> {
  const row = await db.selectFrom('app_figures').selectAll().where('app_id', '=', appId).executeTakeFirst();
  const { installs, stars_1, stars_2, stars_3, stars_4, stars_5 } = row ?? NOTHING;
  return { installs, stars: [stars_1, stars_2, stars_3, stars_4, stars_5] };
}

/** How apps do, in the database. */
export const createAppStatsStore = (db: Database) => ({
  of: (appId: string): Promise<StoredAppStats> => storedAppStatsOf(db, appId),
  /** Counts installations more, by app. */
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
  /** Counts a rating in place of another; null where there is none. */
  async adjustHistogram(appId: string, from: number | null, to: number | null): Promise<void> {
    if (from === to) return;
    await db
      .insertInto('app_figures')
      .values({ app_id: appId, ...NOTHING })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
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
