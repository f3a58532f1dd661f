import type { MemberRole, TokenKind } from '@svc/contracts';
import type { ExpressionBuilder, InferResult, Selectable } from 'kysely';
import type { Person } from '../../domain/identity/person-store.ts';
import type { FoundToken, TokenOwner, TokenRecord, TokenStore } from '../../domain/identity/token-store.ts';
import { personOf } from './person-store.ts';
import { type Database, flag, type Tables } from './schema.ts';

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

/** A token, its person, and their publishers, a row for each. It is asked on every request that bears one. */
const findQuery = (db: Database) =>
  db
    .selectFrom('tokens')
    .leftJoin('people', 'people.id', 'tokens.person_id')
    .leftJoin('members', 'members.person_id', 'tokens.person_id')
    .selectAll('tokens')
    .select([
      'people.name as person_name',
      'people.email as email',
      'people.email_verified as email_verified',
      'people.role as person_role',
      'people.suspended as suspended',
      'people.created_at as person_since',
      'members.publisher as member_of',
      'members.role as member_role',
    ])
    .where('tokens.hash', '=', '');

type FoundRow = InferResult<ReturnType<typeof findQuery>>[number];

function foundPerson(row: FoundRow): Person | null {
  const { person_id: id, person_name: name, person_role: role, person_since: since } = row;
  if (id === null || name === null || role === null || since === null) return null;
  const marks = { email_verified: flag(row.email_verified === 1), suspended: flag(row.suspended === 1) };
  return personOf({ id, name, email: row.email, role, created_at: since, ...marks });
}

function foundIn(rows: readonly FoundRow[]): FoundToken | null {
  const [row] = rows;
  if (!row) return null;
  const memberships = rows.flatMap(({ member_of, member_role }) =>
    member_of === null ? [] : [[member_of, member_role as MemberRole] as const],
  );
  return { token: tokenOf(row), person: foundPerson(row), memberships: new Map(memberships) };
}

type TokenFilter = ExpressionBuilder<Tables, 'tokens'>;

const ownedBy = (owner: TokenOwner) => (token: TokenFilter) =>
  'personId' in owner
    ? token('person_id', '=', owner.personId)
    : token.and([token('publisher', '=', owner.publisher), token('person_id', 'is', null)]);

const isLive = (now: string) => (token: TokenFilter) =>
  token.and([token('revoked_at', 'is', null), token('expires_at', '>', now)]);

/** Hashes of tokens, in the database. */
export function createTokenStore(db: Database): TokenStore {
  // To build and to compile it takes longer than to run it.
  const find = findQuery(db).compile();
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
      const { rows } = await db.executeQuery<FoundRow>({ ...find, parameters: [hash] });
      return foundIn(rows);
    },
    async liveOf(owner, now) {
      const rows = await db
        .selectFrom('tokens')
        .selectAll()
        .where(ownedBy(owner))
        .where(isLive(now))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(tokenOf);
    },
    async countLive(owner, now) {
      const { count } = await db
        .selectFrom('tokens')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(ownedBy(owner))
        .where(isLive(now))
        .executeTakeFirstOrThrow();
      return count;
    },
    async revoke(owner, id, at) {
      const row = await db
        .updateTable('tokens')
        .set({ revoked_at: at })
        .where(ownedBy(owner))
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      return row ? tokenOf(row) : null;
    },
    async used(ids, at, since) {
      await db
        .updateTable('tokens')
        .set({ last_used_at: at })
        .where('id', 'in', ids)
        .where((token) => token.or([token('last_used_at', 'is', null), token('last_used_at', '<', since)]))
        .execute();
    },
    async forgetExpired(at) {
      await db.deleteFrom('tokens').where('expires_at', '<=', at).execute();
    },
  };
}
