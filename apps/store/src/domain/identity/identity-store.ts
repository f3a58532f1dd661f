import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, countChanged, firstOf, hasChanged, isInserted } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** An account at a provider with which a user signs in. It is never matched by its email address. */
export type IdentityRecord = RecordOf<'identities'>;

/** Stores accounts at providers. */
export function createIdentityStore(db: Database) {
  const all = db.selectFrom('identities').selectAll();
  return {
    /** Adds an identity; false when a user has it already. */
    add: (record: IdentityRecord): Promise<boolean> =>
      isInserted(db.insertInto('identities').values(columnsOf(record))),
    find: (issuer: string, subject: string): Promise<IdentityRecord | null> =>
      firstOf(all.where('issuer', '=', issuer).where('subject', '=', subject), fieldsOf),
    /** The identities of a user, the oldest first. */
    of: (personId: string): Promise<IdentityRecord[]> =>
      allOf(all.where('person_id', '=', personId).orderBy('created_at').orderBy('id'), fieldsOf),
    /** Deletes an identity of a user; false when they have no such identity. */
    remove: (personId: string, id: string): Promise<boolean> =>
      hasChanged(db.deleteFrom('identities').where('person_id', '=', personId).where('id', '=', id)),
    /** Deletes all identities of a user. @returns how many there were */
    removeAll: (personId: string): Promise<number> =>
      countChanged(db.deleteFrom('identities').where('person_id', '=', personId)),
  };
}

export type IdentityStore = ReturnType<typeof createIdentityStore>;
