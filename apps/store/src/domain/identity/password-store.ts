import { hasChanged } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

export const createPasswordStore = (db: Database) => ({
  /** The hash of a user's password; null when they have none. */
  async find(personId: string): Promise<string | null> {
    const query = db.selectFrom('passwords').select('hash').where('person_id', '=', personId);
    return (await query.executeTakeFirst())?.hash ?? null;
  },
  /** Stores the hash of a new password, and replaces the previous one. */
  async set(personId: string, hash: string, at: string): Promise<void> {
    await db
      .insertInto('passwords')
      .values({ person_id: personId, hash, changed_at: at })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ hash, changed_at: at }))
      .execute();
  },
  /** Deletes the hash; false when there was none. */
  remove: (personId: string): Promise<boolean> =>
    hasChanged(db.deleteFrom('passwords').where('person_id', '=', personId)),
});
