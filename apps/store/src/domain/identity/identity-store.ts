import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';
/** An account at a provider with which a user signs in. It is never matched by its email address. */
export type IdentityRecord = {
  id: string;
  /** The provider, and its permanent id of the account (OpenID Connect Core 1.0 section 5.7). */
  issuer: string;
  subject: string;
  personId: string;
  /** The display name of the account at the provider. */
  label: string;
  createdAt: string;
};

/** Converts a row. */
const identityOf = (row: Selectable<Tables['identities']>): IdentityRecord => ({
  id: row.id,
  issuer: row.issuer,
  subject: row.subject,
  personId: row.person_id,
  label: row.label,
  createdAt: row.created_at,
});

/** Stores accounts at providers. */
export function createIdentityStore(db: Database) {
  const all = db.selectFrom('identities').selectAll();
  return {
    /** Adds an identity; false when a user has it already. */
    async add({ id, issuer, subject, personId, label, createdAt }: IdentityRecord): Promise<boolean> {
      const inserted = await db
        .insertInto('identities')
        .values({ id, issuer, subject, person_id: personId, label, created_at: createdAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    async find(issuer: string, subject: string): Promise<IdentityRecord | null> {
      const row = await all.where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst();
      return row ? identityOf(row) : null;
    },
    /** The identities of a user, the oldest first. */
    async of(personId: string): Promise<IdentityRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(identityOf);
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
