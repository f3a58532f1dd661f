import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';
/** A passkey: the public key of a key pair that only a user's device can use. */
export type PasskeyRecord = {
  /** Credential id, base64url, chosen by the device. */
  id: string;
  personId: string;
  label: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** The signature counter of the device; always 0 when the device does not count. */
  counter: number;
  /** Transport hints for browsers. */
  transports: string[];
  createdAt: string;
  lastUsedAt: string | null;
};

/** Converts a row. */
const passkeyOf = (row: Selectable<Tables['passkeys']>): PasskeyRecord => ({
  id: row.id,
  personId: row.person_id,
  label: row.label,
  publicKey: row.public_key,
  counter: row.counter,
  transports: JSON.parse(row.transports_json),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

/** Stores the public keys of passkeys. */
export function createPasskeyStore(db: Database) {
  const all = db.selectFrom('passkeys').selectAll();
  return {
    /** Adds a passkey; false when there is one with its id. */
    async add({
      id,
      personId,
      label,
      publicKey,
      counter,
      transports,
      createdAt,
      lastUsedAt,
    }: PasskeyRecord): Promise<boolean> {
      const inserted = await db
        .insertInto('passkeys')
        .values({
          id,
          person_id: personId,
          label,
          public_key: publicKey,
          counter,
          transports_json: JSON.stringify(transports),
          created_at: createdAt,
          last_used_at: lastUsedAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    async find(id: string): Promise<PasskeyRecord | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? passkeyOf(row) : null;
    },
    /** The passkeys of a user, the oldest first. */
    async of(personId: string): Promise<PasskeyRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(passkeyOf);
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
