import type { Selectable } from 'kysely';
import type { IdentityRecord, IdentityStore } from '../../domain/identity/identity-store.ts';
import type { Database, Tables } from './schema.ts';

/** A row as the domain knows it. */
const identityOf = (row: Selectable<Tables['identities']>): IdentityRecord => ({
  id: row.id,
  issuer: row.issuer,
  subject: row.subject,
  personId: row.person_id,
  label: row.label,
  createdAt: row.created_at,
});

/** Accounts at providers, in the database. */
export function createIdentityStore(db: Database): IdentityStore {
  const all = db.selectFrom('identities').selectAll();
  return {
    async add({ id, issuer, subject, personId, label, createdAt }) {
      const made = await db
        .insertInto('identities')
        .values({ id, issuer, subject, person_id: personId, label, created_at: createdAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return made !== undefined;
    },
    async find(issuer, subject) {
      const row = await all.where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst();
      return row ? identityOf(row) : null;
    },
    async of(personId) {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(identityOf);
    },
    async remove(personId, id) {
      const mine = db.deleteFrom('identities').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
