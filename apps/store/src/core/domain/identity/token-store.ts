import type { VersionSource } from '@svc/contracts';
import { type ExpressionBuilder, type InferResult, type Selectable, sql } from 'kysely';
import { columnsOf, type RecordOf } from '../../../platform/database/fields.ts';
import { prepare } from '../../../platform/database/prepare.ts';
import { allOf, countChanged, countRows, firstOf, hasRow, run } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { type Memberships, type Person, personOf } from './person-store.ts';

/** A stored developer token, without the token itself. */
export type TokenRecord = Omit<RecordOf<'tokens'>, 'trustedId' | 'source'> & {
  /** The CI workflow whose job got it, and what the job said of itself; absent for others. */
  job?: { trustedId: string; source: VersionSource };
};

/** A token, its owner, and the publishers that the owner currently acts for. */
export type FoundToken = {
  token: TokenRecord;
  person: Person | null;
  memberships: Memberships;
  /** Whether the user who created it is suspended, or refused by their provider. */
  isMakerOut: boolean;
  /** The suspended ones of the publishers that it would act for. */
  suspendedPublishers: ReadonlySet<string>;
};

/** The owner of tokens: a user, or a publisher. */
export type TokenOwner = { personId: string } | { publisher: string };

/** Converts a row. */
const tokenOf = (row: Selectable<Tables['tokens']>): TokenRecord => ({
  hash: row.hash,
  id: row.id,
  kind: row.kind,
  name: row.name,
  personId: row.person_id,
  publisher: row.publisher,
  appId: row.app_id,
  scopes: JSON.parse(row.scopes_json),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  madeBy: row.made_by,
  ...(row.trusted_id !== null &&
    row.source_json !== null && {
      job: { trustedId: row.trusted_id, source: JSON.parse(row.source_json) as VersionSource },
    }),
});

/** A token, its owner, and their publishers, one row for each publisher. It runs on every request with a token. */
const findQuery = (db: Database) =>
  db
    .selectFrom('tokens')
    .leftJoin('people', 'people.id', 'tokens.person_id')
    .leftJoin('people as makers', 'makers.id', 'tokens.made_by')
    .leftJoin('members', 'members.person_id', 'tokens.person_id')
    .leftJoin('publishers', (join) =>
      join.onRef('publishers.slug', '=', sql`coalesce(members.publisher, tokens.publisher)`),
    )
    .selectAll('tokens')
    .select([
      'people.name as person_name',
      'people.email as email',
      'people.email_verified as email_verified',
      'people.role as person_role',
      'people.suspended as suspended',
      'people.created_at as person_since',
      'people.unconfirmed as unconfirmed',
      'makers.suspended as maker_suspended',
      'makers.unconfirmed as maker_unconfirmed',
      'publishers.suspended as publisher_suspended',
      'members.publisher as member_of',
      'members.role as member_role',
    ])
    .where('tokens.hash', '=', '');

type FoundRow = InferResult<ReturnType<typeof findQuery>>[number];

function foundPerson(row: FoundRow): Person | null {
  const { person_id: id, person_name: name, person_role: role, person_since: since } = row;
  if (id === null || name === null || role === null || since === null) return null;
  const marks = { email_verified: flag(row.email_verified === 1), suspended: flag(row.suspended === 1) };
  const { unconfirmed } = row;
  return personOf({ id, name, email: row.email, role, created_at: since, unconfirmed, ...marks });
}

function foundIn(rows: readonly FoundRow[]): FoundToken | null {
  const [row] = rows;
  if (!row) return null;
  const memberships = rows.flatMap(({ member_of, member_role }) =>
    member_of === null || member_role === null ? [] : [[member_of, member_role] as const],
  );
  const suspended = rows.flatMap(({ publisher_suspended, member_of, publisher }) =>
    publisher_suspended === 1 ? [member_of ?? publisher ?? ''] : [],
  );
  return {
    token: tokenOf(row),
    person: foundPerson(row),
    memberships: new Map(memberships),
    isMakerOut: row.maker_suspended === 1 || row.maker_unconfirmed === 'refused',
    suspendedPublishers: new Set(suspended),
  };
}

type TokenFilter = ExpressionBuilder<Tables, 'tokens'>;

const ownedBy = (owner: TokenOwner) => (token: TokenFilter) =>
  'personId' in owner
    ? token('person_id', '=', owner.personId)
    : token.and([token('publisher', '=', owner.publisher), token('person_id', 'is', null)]);

const isLive = (now: string) => (token: TokenFilter) =>
  token.and([token('revoked_at', 'is', null), token('expires_at', '>', now)]);

const newestFirst = (tokens: readonly TokenRecord[]): TokenRecord[] =>
  tokens.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));

/** Stores tokens by their hashes. */
export function createTokenStore(db: Database) {
  const find = prepare(db, () => findQuery(db));
  return {
    keep: ({ job, scopes, ...token }: TokenRecord): Promise<void> =>
      run(
        db.insertInto('tokens').values({
          ...columnsOf(token),
          scopes_json: JSON.stringify(scopes),
          trusted_id: job?.trustedId ?? null,
          source_json: job ? JSON.stringify(job.source) : null,
        }),
      ),
    async find(hash: string): Promise<FoundToken | null> {
      return foundIn(await find(hash));
    },
    /** The live tokens of an owner, the newest first. */
    liveOf: (owner: TokenOwner, now: string): Promise<TokenRecord[]> =>
      allOf(
        db
          .selectFrom('tokens')
          .selectAll()
          .where(ownedBy(owner))
          .where(isLive(now))
          .orderBy('created_at', 'desc')
          .orderBy('id'),
        tokenOf,
      ),
    /** The number of live tokens of an owner, without those of CI jobs, which have a limit of their own. */
    countLive: (owner: TokenOwner, now: string): Promise<number> =>
      countRows(
        db.selectFrom('tokens').where(ownedBy(owner)).where(isLive(now)).where('trusted_id', 'is', null),
      ),
    /** Revokes a token of an owner, or of any owner with null; null when there is no such token, or it is revoked already. */
    revoke(owner: TokenOwner | null, id: string, at: string): Promise<TokenRecord | null> {
      const named = db
        .updateTable('tokens')
        .set({ revoked_at: at })
        .where('id', '=', id)
        .where('revoked_at', 'is', null);
      return firstOf((owner ? named.where(ownedBy(owner)) : named).returningAll(), tokenOf);
    },
    /** The live tokens that may act for a publisher, the newest first: its own, and those of its members that no other publisher bounds. */
    async liveFor(publisher: string, now: string): Promise<TokenRecord[]> {
      const members = db.selectFrom('members').select('person_id').where('members.publisher', '=', publisher);
      const bound = db.selectFrom('tokens').selectAll().where('publisher', '=', publisher).where(isLive(now));
      const open = db.selectFrom('tokens').selectAll().where('person_id', 'in', members);
      const rows = await bound.union(open.where('publisher', 'is', null).where(isLive(now))).execute();
      return newestFirst(rows.map(tokenOf));
    },
    /** The live tokens that a user owns or created, the newest first. */
    async liveMadeBy(personId: string, now: string): Promise<TokenRecord[]> {
      const of = (column: 'person_id' | 'made_by') =>
        db.selectFrom('tokens').selectAll().where(column, '=', personId).where(isLive(now));
      const rows = await of('person_id').union(of('made_by')).execute();
      return newestFirst(rows.map(tokenOf));
    },
    /** Revokes every token that a user owns or created. @returns how many were valid */
    revokeMadeBy: (personId: string, at: string): Promise<number> =>
      countChanged(
        db
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where((token) => token.or([token('person_id', '=', personId), token('made_by', '=', personId)]))
          .where(isLive(at)),
      ),
    /** Revokes the tokens that a user created for a publisher. @returns how many were valid */
    revokeMadeFor: (personId: string, publisher: string, at: string): Promise<number> =>
      countChanged(
        db
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('publisher', '=', publisher)
          .where((token) => token.or([token('person_id', '=', personId), token('made_by', '=', personId)]))
          .where(isLive(at)),
      ),
    /** Revokes the live tokens of the jobs of a CI workflow. */
    revokeOfWorkflow: (trustedId: string, at: string): Promise<void> =>
      run(
        db
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('trusted_id', '=', trustedId)
          .where(isLive(at)),
      ),
    /** Whether a token exists and is valid at a time. */
    isLive: (id: string, now: string): Promise<boolean> =>
      hasRow(db.selectFrom('tokens').select('id').where('id', '=', id).where(isLive(now))),
    /** Records the use of tokens, except those with a recorded use after `since`. */
    used: (ids: readonly string[], at: string, since: string): Promise<void> =>
      run(
        db
          .updateTable('tokens')
          .set({ last_used_at: at })
          .where('id', 'in', ids)
          .where((token) => token.or([token('last_used_at', 'is', null), token('last_used_at', '<', since)])),
      ),
    /** Deletes tokens that had expired at a time. */
    purgeExpired: (at: string): Promise<void> => run(db.deleteFrom('tokens').where('expires_at', '<=', at)),
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;
