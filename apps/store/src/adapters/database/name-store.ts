import type { Selectable } from 'kysely';
import type { NameRequest, NameStore } from '../../domain/identity/name-store.ts';
import type { Database, Tables } from './schema.ts';

const requestOf = (row: Selectable<Tables['name_requests']>): NameRequest => ({
  publisher: row.publisher,
  name: row.name,
  askedBy: row.asked_by,
  askedAt: row.asked_at,
});

/** Names of publishers, in the database. */
export function createNameStore(db: Database): NameStore {
  const all = db.selectFrom('name_requests').selectAll();
  return {
    async claim(publisher, keys) {
      let others = db.deleteFrom('name_keys').where('publisher', '=', publisher);
      if (keys.length > 0) others = others.where('name_key', 'not in', keys);
      await others.execute();
      for (const key of keys) {
        await db
          .insertInto('name_keys')
          .values({ name_key: key, publisher })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      const own = await db
        .selectFrom('name_keys')
        .select('name_key')
        .where('publisher', '=', publisher)
        .execute();
      return own.length === keys.length;
    },
    async find(publisher) {
      const row = await all.where('publisher', '=', publisher).executeTakeFirst();
      return row ? requestOf(row) : null;
    },
    async put({ publisher, name, askedBy, askedAt }) {
      const row = { name, asked_by: askedBy, asked_at: askedAt };
      await db
        .insertInto('name_requests')
        .values({ publisher, ...row })
        .onConflict((conflict) => conflict.column('publisher').doUpdateSet(row))
        .execute();
    },
    async remove(publisher) {
      await db.deleteFrom('name_requests').where('publisher', '=', publisher).execute();
    },
    async list(after, limit) {
      const query = after === null ? all : all.where('publisher', '>', after);
      const rows = await query
        .orderBy('publisher')
        .limit(limit + 1)
        .execute();
      return rows.map(requestOf);
    },
  };
}
