import { sql } from 'kysely';
import type { FigureStore, Standing } from '../../domain/listings/figure-store.ts';
import type { Database, StarsColumn } from './schema.ts';

const columnOf = (stars: number): StarsColumn => `stars_${stars as 1 | 2 | 3 | 4 | 5}`;

const NOTHING = { installs: 0, stars_1: 0, stars_2: 0, stars_3: 0, stars_4: 0, stars_5: 0 };

/** How an app stands; nothing is known of one that nobody has installed or rated. */
export async function standingOf(db: Database, appId: string): Promise<Standing> {
  const row = await db.selectFrom('app_figures').selectAll().where('app_id', '=', appId).executeTakeFirst();
  const { installs, stars_1, stars_2, stars_3, stars_4, stars_5 } = row ?? NOTHING;
  return { installs, stars: [stars_1, stars_2, stars_3, stars_4, stars_5] };
}

/** How apps do, in the database. */
export const createFigureStore = (db: Database): FigureStore => ({
  of: (appId) => standingOf(db, appId),
  async addInstalls(installs) {
    if (installs.size === 0) return;
    await db
      .insertInto('app_figures')
      .values(Array.from(installs, ([appId, more]) => ({ ...NOTHING, app_id: appId, installs: more })))
      .onConflict((conflict) =>
        conflict.column('app_id').doUpdateSet({ installs: sql`app_figures.installs + excluded.installs` }),
      )
      .execute();
  },
  async moveStars(appId, from, to) {
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
