import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';
/** An account at a provider by which a person signs in. Its email address says nothing of whose it is. */
export type IdentityRecord = {
  /** Names it in this store. */
  id: string;
  /** The provider, and what it names the account by for ever (OpenID Connect Core 1.0 section 5.7). */
  issuer: string;
  subject: string;
  personId: string;
  /** What the provider calls the account, for people to read. */
  label: string;
  createdAt: string;
};

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
export function createIdentityStore(db: Database) {
  const all = db.selectFrom('identities').selectAll();
  return {
    /** Keeps a new identity; false when it is a person's already. */
    async add({ id, issuer, subject, personId, label, createdAt }: IdentityRecord): Promise<boolean> {
      const made = await db
        .insertInto('identities')
        .values({ id, issuer, subject, person_id: personId, label, created_at: createdAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return made !== undefined;
    },
    async find(issuer: string, subject: string): Promise<IdentityRecord | null> {
      const row = await all.where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst();
      return row ? identityOf(row) : null;
    },
    /** The identities of a person, the oldest first. */
    async of(personId: string): Promise<IdentityRecord[]> {
      const mine = all.where('person_id', '=', personId).orderBy('created_at').orderBy('id');
      return (await mine.execute()).map(identityOf);
    },
    /** Forgets an identity of a person; false when they have no such identity. */
    async remove(personId: string, id: string): Promise<boolean> {
      const mine = db.deleteFrom('identities').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

export type IdentityStore = ReturnType<typeof createIdentityStore>;
