import type { Selectable } from 'kysely';
import type { AppOwner, AppStore } from '../../domain/versions/version-store.ts';
import { beginsWith } from './begins-with.ts';
import { type Database, flag, type Tables } from './schema.ts';
import { noteVisibilityOfApp } from './visibility.ts';

const appOf = (row: Selectable<Tables['apps']>): AppOwner => ({
  appId: row.app_id,
  publisher: row.publisher,
  suspended: row.suspended === 1,
});

/** Apps and whose they are, in the database. */
export function createAppStore(db: Database): AppStore {
  return {
    async find(appId) {
      const row = await db.selectFrom('apps').selectAll().where('app_id', '=', appId).executeTakeFirst();
      return row ? appOf(row) : null;
    },
    async add({ appId, publisher, suspended, createdAt }) {
      await db
        .insertInto('apps')
        .values({ app_id: appId, publisher, suspended: flag(suspended), created_at: createdAt })
        .execute();
    },
    async search({ beginning, publisher, suspended, after, limit }) {
      let query = db.selectFrom('apps').selectAll();
      if (beginning !== undefined) query = query.where(beginsWith(['app_id'], beginning));
      if (publisher !== undefined) query = query.where('publisher', '=', publisher);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      if (after !== null) query = query.where('app_id', '>', after);
      const rows = await query
        .orderBy('app_id')
        .limit(limit + 1)
        .execute();
      return rows.map(appOf);
    },
    async suspend(appId, suspended) {
      const row = await db
        .updateTable('apps')
        .set({ suspended: flag(suspended) })
        .where('app_id', '=', appId)
        .returningAll()
        .executeTakeFirst();
      await noteVisibilityOfApp(db, appId);
      return row ? appOf(row) : null;
    },
  };
}
