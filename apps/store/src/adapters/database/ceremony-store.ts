import type { CeremonyKind, CeremonyStore } from '../../domain/identity/ceremony-store.ts';
import type { Database } from './schema.ts';

/** Ceremonies under way, in the database. */
export const createCeremonyStore = (db: Database): CeremonyStore => ({
  async keep({ hash, kind, expiresAt, provider, personId }) {
    await db
      .insertInto('ceremonies')
      .values({ hash, kind, expires_at: expiresAt, detail_json: JSON.stringify({ provider, personId }) })
      .execute();
  },
  async take(hash) {
    const row = await db.deleteFrom('ceremonies').where('hash', '=', hash).returningAll().executeTakeFirst();
    if (!row) return null;
    return {
      hash,
      kind: row.kind as CeremonyKind,
      expiresAt: row.expires_at,
      ...(JSON.parse(row.detail_json) as { provider: string | null; personId: string | null }),
    };
  },
  async forgetExpired(at) {
    await db.deleteFrom('ceremonies').where('expires_at', '<=', at).execute();
  },
});
