import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import { allOf, countRows, firstOf, insertMissing, run } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';

/** A new name that a verified publisher has requested, and that an administrator has not decided on. */
export type NameRequest = RecordOf<'name_requests'>;

export function createNameStore(db: Database) {
  const all = db.selectFrom('name_requests').selectAll();
  return {
    /**
     * Replaces the keys of a publisher. A key belongs to one publisher: of two concurrent claims one succeeds.
     * @returns whether the publisher now has all of them; if not, roll back the transaction
     */
    async claim(publisher: string, keys: readonly string[]): Promise<boolean> {
      let others = db.deleteFrom('name_keys').where('publisher', '=', publisher);
      if (keys.length > 0) others = others.where('name_key', 'not in', keys);
      await others.execute();
      for (const key of keys)
        await insertMissing(db.insertInto('name_keys').values({ name_key: key, publisher }));
      return (await countRows(db.selectFrom('name_keys').where('publisher', '=', publisher))) === keys.length;
    },
    /** The publisher that has one of some keys; null when none has. */
    ownerOf: (keys: readonly string[]): Promise<string | null> =>
      firstOf(
        db.selectFrom('name_keys').select('publisher').where('name_key', 'in', keys).orderBy('name_key'),
        (row) => row.publisher,
      ),
    /** The name that a publisher has requested; null when there is none. */
    find: (publisher: string): Promise<NameRequest | null> =>
      firstOf(all.where('publisher', '=', publisher), fieldsOf),
    /** Stores a request, and replaces the previous one of the publisher. */
    async put({ publisher, ...request }: NameRequest): Promise<void> {
      const row = columnsOf(request);
      await db
        .insertInto('name_requests')
        .values({ publisher, ...row })
        .onConflict((conflict) => conflict.column('publisher').doUpdateSet(row))
        .execute();
    },
    remove: (publisher: string): Promise<void> =>
      run(db.deleteFrom('name_requests').where('publisher', '=', publisher)),
    /** Lists requests in the order of their publishers: `limit` of them, and one more when there are more. */
    list(after: string | null, limit: number): Promise<NameRequest[]> {
      const query = after === null ? all : all.where('publisher', '>', after);
      return allOf(query.orderBy('publisher').limit(limit + 1), fieldsOf);
    },
  };
}

export type NameStore = ReturnType<typeof createNameStore>;
