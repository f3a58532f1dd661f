import type { Selectable } from 'kysely';
import type { PasskeyRecord, PasskeyStore } from '../../domain/identity/passkey-store.ts';
import type { Database, Tables } from './schema.ts';

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
export function createPasskeyStore(db: Database): PasskeyStore {
  const all = db.selectFrom('passkeys').selectAll();
  return {
    async add({ id, personId, label, publicKey, counter, transports, createdAt, lastUsedAt }) {
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
    async find(id) {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? passkeyOf(row) : null;
    },
    async of(personId) {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(passkeyOf);
    },
    async rename(personId, id, label) {
      const mine = db.updateTable('passkeys').set({ label }).where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0n;
    },
    async remove(personId, id) {
      const mine = db.deleteFrom('passkeys').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    async used(id, counter, at) {
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
