import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import type { Database } from '../../platform/database/schema.ts';

/** An account at a provider with which a user signs in. It is never matched by its email address. */
export type IdentityRecord = RecordOf<'identities'>;

/** Stores accounts at providers. */
export function createIdentityStore(db: Database) {
  const all = db.selectFrom('identities').selectAll();
  return {
    /** Adds an identity; false when a user has it already. */
    async add(record: IdentityRecord): Promise<boolean> {
      const inserted = await db
        .insertInto('identities')
        .values(columnsOf(record))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    async find(issuer: string, subject: string): Promise<IdentityRecord | null> {
      const row = await all.where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst();
      return row ? fieldsOf(row) : null;
    },
    /** The identities of a user, the oldest first. */
    async of(personId: string): Promise<IdentityRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(fieldsOf);
    },
    /** Deletes an identity of a user; false when they have no such identity. */
    async remove(personId: string, id: string): Promise<boolean> {
      const mine = db.deleteFrom('identities').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Deletes all identities of a user. @returns how many there were */
    async removeAll(personId: string): Promise<number> {
      const mine = db.deleteFrom('identities').where('person_id', '=', personId);
      return Number((await mine.executeTakeFirst()).numDeletedRows);
    },
  };
}

export type IdentityStore = ReturnType<typeof createIdentityStore>;
