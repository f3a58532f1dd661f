import type { Selectable } from 'kysely';
import { isActiveAt } from '../../platform/database/is-active.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';
import { type Memberships, membershipsOf, type Person, personOf } from './person-store.ts';

/** A session of a user in a browser. Only the hash of the secret in its cookie is stored. */
export type SessionRecord = {
  /** Hex SHA-256 of the secret. */
  hash: string;
  /** Identifies the session where the secret must not be shown. */
  id: string;
  personId: string;
  createdAt: string;
  expiresAt: string;
  lastSeenAt: string;
  /** The address and the user agent at the sign-in. */
  address: string | null;
  agent: string;
  /** When the user last proved their identity in it; null in sessions from before this was recorded. */
  provedAt: string | null;
  /** Whether the user proved it with a passkey. */
  hasPasskey: boolean;
};

/** A session, its user, and the publishers that the user acts for. */
export type FoundSession = {
  session: SessionRecord;
  person: Person;
  memberships: Memberships;
  /** Since when the user may have the role without a passkey. */
  graceFrom: string;
  /** Whether the user has passkeys; not read for users without a role, and in sessions that one proved. */
  hasPasskeys: boolean;
};

/** Converts a row. */
const sessionOf = (row: Selectable<Tables['sessions']>): SessionRecord => ({
  hash: row.hash,
  id: row.id,
  personId: row.person_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastSeenAt: row.last_seen_at,
  address: row.address,
  agent: row.agent,
  provedAt: row.proved_at,
  hasPasskey: row.has_passkey === 1,
});

/** Stores sessions, with the hashes of their secrets. */
export function createSessionStore(db: Database) {
  return {
    async keep(session: SessionRecord): Promise<void> {
      await db
        .insertInto('sessions')
        .values({
          hash: session.hash,
          id: session.id,
          person_id: session.personId,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
          last_seen_at: session.lastSeenAt,
          address: session.address,
          agent: session.agent,
          proved_at: session.provedAt,
          has_passkey: flag(session.hasPasskey),
        })
        .execute();
    },
    async find(hash: string): Promise<FoundSession | null> {
      const row = await db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!row) return null;
      const of = db.selectFrom('people').selectAll().where('id', '=', row.person_id);
      const person = await of.executeTakeFirstOrThrow();
      const passkeys = db.selectFrom('passkeys').select('id').where('person_id', '=', row.person_id);
      const isAsked = person.role !== 'person' && row.has_passkey === 0;
      return {
        session: sessionOf(row),
        person: personOf(person),
        memberships: await membershipsOf(db, row.person_id),
        graceFrom: person.grace_from ?? person.created_at,
        hasPasskeys: isAsked && (await passkeys.limit(1).executeTakeFirst()) !== undefined,
      };
    },
    /** Active sessions of a user, the most recently used first. */
    async of(personId: string, now: string): Promise<SessionRecord[]> {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('person_id', '=', personId)
        .where(isActiveAt('sessions.expires_at', now))
        .orderBy('last_seen_at', 'desc')
        .execute();
      return rows.map(sessionOf);
    },
    /** Records the use of a session. */
    async seen(id: string, at: string, expiresAt: string): Promise<void> {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: at, expires_at: expiresAt })
        .where('id', '=', id)
        .execute();
    },
    /** Records a proof of identity in a session; false when the user has no such session. */
    async prove(personId: string, id: string, at: string, withPasskey: boolean): Promise<boolean> {
      const proved = await db
        .updateTable('sessions')
        .set({ proved_at: at, ...(withPasskey && { has_passkey: 1 }) })
        .where('person_id', '=', personId)
        .where('id', '=', id)
        .executeTakeFirst();
      return proved.numUpdatedRows > 0n;
    },
    /** Whether a session of a user exists. */
    async has(personId: string, id: string): Promise<boolean> {
      const mine = db.selectFrom('sessions').select('id').where('person_id', '=', personId);
      return (await mine.where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    /** Ends one session of a user; false when they have no such session. */
    async end(personId: string, id: string): Promise<boolean> {
      const ended = await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '=', id)
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    },
    /** Ends all sessions of a user. @param but a session that is kept @returns how many ended */
    async endAll(personId: string, but: string = ''): Promise<number> {
      const ended = await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '!=', but)
        .executeTakeFirst();
      return Number(ended.numDeletedRows);
    },
    /** Deletes those that had expired at a time. */
    async purgeExpired(at: string): Promise<void> {
      await db.deleteFrom('sessions').where('expires_at', '<=', at).execute();
    },
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;
