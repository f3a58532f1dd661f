import type { PasswordStore } from '../../domain/identity/password-store.ts';
import type { Database } from './schema.ts';

/** Hashes of passwords, in the database. */
export const createPasswordStore = (db: Database): PasswordStore => ({
  async find(personId) {
    const query = db.selectFrom('passwords').select('hash').where('person_id', '=', personId);
    return (await query.executeTakeFirst())?.hash ?? null;
  },
  async set(personId, hash, at) {
    await db
      .insertInto('passwords')
      .values({ person_id: personId, hash, changed_at: at })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ hash, changed_at: at }))
      .execute();
  },
  async remove(personId) {
    const removed = await db.deleteFrom('passwords').where('person_id', '=', personId).executeTakeFirst();
    return removed.numDeletedRows > 0n;
  },
});
