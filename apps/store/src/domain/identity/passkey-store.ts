import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';
/** A passkey: the public half of a key that only a person's device can use. */
export type PasskeyRecord = {
  /** Id of the credential, base64url; the device chose it. */
  id: string;
  personId: string;
  label: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** How often it was used, as the device counts; 0 for ever when it does not count. */
  counter: number;
  /** How a browser reaches it, as hints. */
  transports: string[];
  createdAt: string;
  lastUsedAt: string | null;
};

/** A row as the domain knows it. */
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

/** Public halves of passkeys, in the database. */
export function createPasskeyStore(db: Database) {
  const all = db.selectFrom('passkeys').selectAll();
  return {
    /** Keeps a new passkey; false when there is one with its id. */
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
      const made = await db
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
      return made !== undefined;
    },
    async find(id: string): Promise<PasskeyRecord | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? passkeyOf(row) : null;
    },
    /** The passkeys of a person, the oldest first. */
    async of(personId: string): Promise<PasskeyRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(passkeyOf);
    },
    /** Gives a passkey of a person another name; false when they have no such passkey. */
    async rename(personId: string, id: string, label: string): Promise<boolean> {
      const mine = db.updateTable('passkeys').set({ label }).where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Forgets a passkey of a person; false when they have no such passkey. */
    async remove(personId: string, id: string): Promise<boolean> {
      const mine = db.deleteFrom('passkeys').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Notes that a passkey was used; false when the counter does not grow, unless the device does not count. */
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
