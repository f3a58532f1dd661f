import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, countChanged, firstOf, hasChanged, isInserted } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A passkey: the public key of a key pair that only a user's device can use. */
export type PasskeyRecord = RecordOf<'passkeys'>;

/** Stores the public keys of passkeys. */
export function createPasskeyStore(db: Database) {
  const all = db.selectFrom('passkeys').selectAll();
  return {
    /** Adds a passkey; false when there is one with its id. */
    add: ({ transports, ...record }: PasskeyRecord): Promise<boolean> =>
      isInserted(
        db
          .insertInto('passkeys')
          .values({ ...columnsOf(record), transports_json: JSON.stringify(transports) }),
      ),
    find: (id: string): Promise<PasskeyRecord | null> => firstOf(all.where('id', '=', id), fieldsOf),
    /** The passkeys of a user, the oldest first. */
    of: (personId: string): Promise<PasskeyRecord[]> =>
      allOf(all.where('person_id', '=', personId).orderBy('created_at').orderBy('id'), fieldsOf),
    /** Renames a passkey of a user; false when they have no such passkey. */
    rename: (personId: string, id: string, label: string): Promise<boolean> =>
      hasChanged(
        db.updateTable('passkeys').set({ label }).where('person_id', '=', personId).where('id', '=', id),
      ),
    /** Deletes a passkey of a user; false when they have no such passkey. */
    remove: (personId: string, id: string): Promise<boolean> =>
      hasChanged(db.deleteFrom('passkeys').where('person_id', '=', personId).where('id', '=', id)),
    /** Deletes all passkeys of a user. @returns how many there were */
    removeAll: (personId: string): Promise<number> =>
      countChanged(db.deleteFrom('passkeys').where('person_id', '=', personId)),
    /** Records the use of a passkey; false when the counter does not increase, unless the device does not count. */
    used: (id: string, counter: number, at: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('passkeys')
          .set({ counter, last_used_at: at })
          .where('id', '=', id)
          .where((is) => is.or([is('counter', '<', counter), is('counter', '=', counter === 0 ? 0 : -1)])),
      ),
  };
}

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;
