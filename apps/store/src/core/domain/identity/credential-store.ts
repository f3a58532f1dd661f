import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import {
  allOf,
  countChanged,
  firstOf,
  hasChanged,
  isInserted,
  run,
} from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';

/** The kind of a sign-in that takes two requests of a browser; `ci` is the ID token of a CI job, which counts once. */
export type CeremonyKind =
  | 'passkey.add'
  | 'passkey.sign-up'
  | 'passkey.sign-in'
  | 'passkey.prove'
  | 'provider'
  | 'ci';

/** Stores which ceremonies have ended. One that has only begun is in a cookie of its browser, and needs no row. */
export const createCeremonyStore = (db: Database) => ({
  /**
   * Records that a ceremony ended; false when it had ended before: of two concurrent calls one ends it.
   * @param hash hex SHA-256 of the secret in the browser's cookie
   */
  end: (hash: string, kind: CeremonyKind, expiresAt: string): Promise<boolean> =>
    isInserted(db.insertInto('ceremonies').values({ hash, kind, expires_at: expiresAt, detail_json: '{}' })),
  /** Deletes those that had expired at a time. */
  purgeExpired: (at: string): Promise<void> => run(db.deleteFrom('ceremonies').where('expires_at', '<=', at)),
});

export type CeremonyStore = ReturnType<typeof createCeremonyStore>;

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

export const createPasswordStore = (db: Database) => ({
  /** The hash of a user's password; null when they have none. */
  find: (personId: string): Promise<string | null> =>
    firstOf(db.selectFrom('passwords').select('hash').where('person_id', '=', personId), ({ hash }) => hash),
  /** Stores the hash of a new password, and replaces the previous one. */
  async set(personId: string, hash: string, at: string): Promise<void> {
    await db
      .insertInto('passwords')
      .values({ person_id: personId, hash, changed_at: at })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ hash, changed_at: at }))
      .execute();
  },
  /** Deletes the hash; false when there was none. */
  remove: (personId: string): Promise<boolean> =>
    hasChanged(db.deleteFrom('passwords').where('person_id', '=', personId)),
});

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
