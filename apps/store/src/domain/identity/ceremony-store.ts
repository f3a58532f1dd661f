import type { Database } from '../../platform/database/schema.ts';
/** The kind of a sign-in that takes two requests of a browser. */
export type CeremonyKind = 'passkey.add' | 'passkey.sign-in' | 'passkey.prove' | 'provider';

export type CeremonyRecord = {
  /** Hex SHA-256 of the secret in the browser's cookie. */
  hash: string;
  kind: CeremonyKind;
  expiresAt: string;
  /** The provider, and the signed-in user who adds a way to sign in; each null when there is none. */
  provider: string | null;
  personId: string | null;
};

/** Stores the ceremonies in progress. */
export const createCeremonyStore = (db: Database) => ({
  async keep({ hash, kind, expiresAt, provider, personId }: CeremonyRecord): Promise<void> {
    await db
      .insertInto('ceremonies')
      .values({ hash, kind, expires_at: expiresAt, detail_json: JSON.stringify({ provider, personId }) })
      .execute();
  },
  /** Finds a ceremony and deletes it: of two concurrent calls one gets it. */
  async take(hash: string): Promise<CeremonyRecord | null> {
    const row = await db.deleteFrom('ceremonies').where('hash', '=', hash).returningAll().executeTakeFirst();
    if (!row) return null;
    return {
      hash,
      kind: row.kind as CeremonyKind,
      expiresAt: row.expires_at,
      ...(JSON.parse(row.detail_json) as { provider: string | null; personId: string | null }),
    };
  },
  /** Deletes those that had expired at a time. */
  async purgeExpired(at: string): Promise<void> {
    await db.deleteFrom('ceremonies').where('expires_at', '<=', at).execute();
  },
});

export type CeremonyStore = ReturnType<typeof createCeremonyStore>;
