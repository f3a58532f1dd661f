import type { TokenKind } from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { TokenRecord, TokenStore } from '../../tokens/token-store.ts';
import { membershipsOf, personOf } from './person-store.ts';
import type { Database, Tables } from './schema.ts';

/** A row as the domain knows it. */
const tokenOf = (row: Selectable<Tables['tokens']>): TokenRecord => ({
  hash: row.hash,
  id: row.id,
  kind: row.kind as TokenKind,
  name: row.name,
  personId: row.person_id,
  publisher: row.publisher,
  appId: row.app_id,
  scopes: JSON.parse(row.scopes_json),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

/** Hashes of tokens, in the database. */
export function createTokenStore(db: Database): TokenStore {
  return {
    async keep(token) {
      await db
        .insertInto('tokens')
        .values({
          hash: token.hash,
          id: token.id,
          kind: token.kind,
          name: token.name,
          person_id: token.personId,
          publisher: token.publisher,
          app_id: token.appId,
          scopes_json: JSON.stringify(token.scopes),
          created_at: token.createdAt,
          expires_at: token.expiresAt,
          last_used_at: token.lastUsedAt,
          revoked_at: token.revokedAt,
        })
        .execute();
    },
    async find(hash) {
      const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!row) return null;
      const token = tokenOf(row);
      if (token.personId === null) return { token, person: null, memberships: new Map() };
      const person = db.selectFrom('people').selectAll().where('id', '=', token.personId);
      return {
        token,
        person: personOf(await person.executeTakeFirstOrThrow()),
        memberships: await membershipsOf(db, token.personId),
      };
    },
  };
}
