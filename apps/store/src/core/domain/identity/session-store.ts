import type { Selectable } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import {
  allOf,
  countChanged,
  hasChanged,
  hasRow,
  isActiveAt,
  run,
} from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { type Memberships, membershipsOf, type Person, personOf } from './person-store.ts';

/** A session of a user in a browser. Only the hash of the secret in its cookie is stored. */
export type SessionRecord = Omit<RecordOf<'sessions'>, 'hasPasskey'> & {
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
  ...fieldsOf(row),
  hasPasskey: row.has_passkey === 1,
});

/** Stores sessions, with the hashes of their secrets. */
export function createSessionStore(db: Database) {
  return {
    keep: (session: SessionRecord): Promise<void> =>
      run(db.insertInto('sessions').values({ ...columnsOf(session), has_passkey: flag(session.hasPasskey) })),
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
        hasPasskeys: isAsked && (await hasRow(passkeys.limit(1))),
      };
    },
    /** Active sessions of a user, the most recently used first. */
    of: (personId: string, now: string): Promise<SessionRecord[]> =>
      allOf(
        db
          .selectFrom('sessions')
          .selectAll()
          .where('person_id', '=', personId)
          .where(isActiveAt('sessions.expires_at', now))
          .orderBy('last_seen_at', 'desc'),
        sessionOf,
      ),
    /** Records the use of a session. */
    seen: (id: string, at: string, expiresAt: string): Promise<void> =>
      run(db.updateTable('sessions').set({ last_seen_at: at, expires_at: expiresAt }).where('id', '=', id)),
    /** Records a proof of identity in a session; false when the user has no such session. */
    prove: (personId: string, id: string, at: string, withPasskey: boolean): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('sessions')
          .set({ proved_at: at, ...(withPasskey && { has_passkey: 1 }) })
          .where('person_id', '=', personId)
          .where('id', '=', id),
      ),
    /** Whether a session of a user exists. */
    has: (personId: string, id: string): Promise<boolean> =>
      hasRow(db.selectFrom('sessions').select('id').where('person_id', '=', personId).where('id', '=', id)),
    /** Ends one session of a user; false when they have no such session. */
    end: (personId: string, id: string): Promise<boolean> =>
      hasChanged(db.deleteFrom('sessions').where('person_id', '=', personId).where('id', '=', id)),
    /** Ends all sessions of a user. @param but a session that is kept @returns how many ended */
    endAll: (personId: string, but: string = ''): Promise<number> =>
      countChanged(db.deleteFrom('sessions').where('person_id', '=', personId).where('id', '!=', but)),
    /** Deletes those that had expired at a time. */
    purgeExpired: (at: string): Promise<void> => run(db.deleteFrom('sessions').where('expires_at', '<=', at)),
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;
