import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A passkey: the public key of a key pair that only a user's device can use. */
export type PasskeyRecord = RecordOf<'passkeys'>;

/** Stores the public keys of passkeys. */
export function createPasskeyStore(db: Database) {
  const all = db.selectFrom('passkeys').selectAll();
  return {
    /** Adds a passkey; false when there is one with its id. */
    async add({ transports, ...record }: PasskeyRecord): Promise<boolean> {
      const inserted = await db
        .insertInto('passkeys')
        .values({ ...columnsOf(record), transports_json: JSON.stringify(transports) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    async find(id: string): Promise<PasskeyRecord | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? fieldsOf(row) : null;
    },
    /** The passkeys of a user, the oldest first. */
    async of(personId: string): Promise<PasskeyRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(fieldsOf);
    },
    /** Renames a passkey of a user; false when they have no such passkey. */
    async rename(personId: string, id: string, label: string): Promise<boolean> {
      const mine = db.updateTable('passkeys').set({ label }).where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Deletes a passkey of a user; false when they have no such passkey. */
    async remove(personId: string, id: string): Promise<boolean> {
      const mine = db.deleteFrom('passkeys').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Deletes all passkeys of a user. @returns how many there were */
    async removeAll(personId: string): Promise<number> {
      const mine = db.deleteFrom('passkeys').where('person_id', '=', personId);
      return Number((await mine.executeTakeFirst()).numDeletedRows);
    },
    /** Records the use of a passkey; false when the counter does not increase, unless the device does not count. */
    async used(id: string, counter: number, at: string): Promise<boolean> {
      const used = await db
        .updateTable('passkeys')
        .set({ counter, last_used_at: at })
        .where('id', '=', id)
        .where((is) => is.or([is('counter', '<', counter), is('counter', '=', counter === 0 ? 0 : -1)]))
        .executeTakeFirst();
      return used.numUpdatedRows > 0n;
    },
  };
}

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;
