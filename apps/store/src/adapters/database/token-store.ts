import type { TokenStore } from '../../tokens/token-store.ts';
import type { Database } from './schema.ts';

/** Hashes of tokens, in the database. */
export function createTokenStore(db: Database): TokenStore {
  return {
    async keep({ hash, id, publisher, scopes, createdAt, expiresAt }) {
      await db
        .insertInto('tokens')
        .values({
          hash,
          id,
          publisher,
          scopes_json: JSON.stringify(scopes),
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .execute();
    },
    async find(hash) {
      const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!row) return null;
      const { id, publisher, scopes_json, created_at, expires_at } = row;
      return {
        hash,
        id,
        publisher,
        scopes: JSON.parse(scopes_json),
        createdAt: created_at,
        expiresAt: expires_at,
      };
    },
  };
}
