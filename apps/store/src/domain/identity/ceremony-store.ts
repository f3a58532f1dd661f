import { isInserted } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

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
  async purgeExpired(at: string): Promise<void> {
    await db.deleteFrom('ceremonies').where('expires_at', '<=', at).execute();
  },
});

export type CeremonyStore = ReturnType<typeof createCeremonyStore>;
