import type { Selectable } from 'kysely';
import { beginsWith } from '../../platform/database/begins-with.ts';
import { type Database, flag, type Tables } from '../../platform/database/schema.ts';
import { noteVisibilityOfApp } from '../../platform/database/visibility.ts';
/** An app, as soon as a version of it was uploaded. */
export type AppOwner = { appId: string; publisher: string; suspended: boolean };

/** An app with its name in the newest upload, which no other supersedes. */
export type NamedApp = AppOwner & { name: string };

/** Which apps; all conditions must hold. `beginning` is how the id begins, `after` an id. */
export type AppSearch = {
  beginning?: string | undefined;
  publisher?: string | undefined;
  suspended?: boolean | undefined;
  after: string | null;
  limit: number;
};

const appOf = (row: Selectable<Tables['apps']>): AppOwner => ({
  appId: row.app_id,
  publisher: row.publisher,
  suspended: row.suspended === 1,
});

/** Apps and whose they are, in the database. */
export function createAppStore(db: Database) {
  return {
    async find(appId: string): Promise<AppOwner | null> {
      const row = await db.selectFrom('apps').selectAll().where('app_id', '=', appId).executeTakeFirst();
      return row ? appOf(row) : null;
    },
    /** Binds an app id to its publisher. */
    async add({ appId, publisher, suspended, createdAt }: AppOwner & { createdAt: string }): Promise<void> {
      await db
        .insertInto('apps')
        .values({ app_id: appId, publisher, suspended: flag(suspended), created_at: createdAt })
        .execute();
    },
    /** Apps in the order of their ids: as many as `limit` says, and one more when there are more. */
    async search({ beginning, publisher, suspended, after, limit }: AppSearch): Promise<NamedApp[]> {
      let query = db
        .selectFrom('apps')
        .leftJoin('versions', (join) =>
          join.onRef('versions.app_id', '=', 'apps.app_id').on('versions.superseded', '=', 0),
        )
        .selectAll('apps')
        .select('versions.name');
      if (beginning !== undefined) query = query.where(beginsWith(['apps.app_id'], beginning));
      if (publisher !== undefined) query = query.where('apps.publisher', '=', publisher);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      if (after !== null) query = query.where('apps.app_id', '>', after);
      const rows = await query
        .orderBy('apps.app_id')
        .limit(limit + 1)
        .execute();
      return rows.map((row) => ({ ...appOf(row), name: row.name ?? row.app_id }));
    },
    async suspend(appId: string, suspended: boolean): Promise<AppOwner | null> {
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

export type AppStore = ReturnType<typeof createAppStore>;
