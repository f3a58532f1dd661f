import type { Selectable } from 'kysely';
import type { SessionRecord, SessionStore } from '../../domain/identity/session-store.ts';
import { holdsAt } from './holds.ts';
import { membershipsOf, personOf } from './person-store.ts';
import type { Database, Tables } from './schema.ts';

/** A row as the domain knows it. */
const sessionOf = (row: Selectable<Tables['sessions']>): SessionRecord => ({
  hash: row.hash,
  id: row.id,
  personId: row.person_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastSeenAt: row.last_seen_at,
  address: row.address,
  agent: row.agent,
});

/** Hashes of session secrets, in the database. */
export function createSessionStore(db: Database): SessionStore {
  return {
    async keep({ hash, id, personId, createdAt, expiresAt, lastSeenAt, address, agent }) {
      await db
        .insertInto('sessions')
        .values({
          hash,
          id,
          person_id: personId,
          created_at: createdAt,
          expires_at: expiresAt,
          last_seen_at: lastSeenAt,
          address,
          agent,
        })
        .execute();
    },
    async find(hash) {
      const row = await db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!row) return null;
      const person = db.selectFrom('people').selectAll().where('id', '=', row.person_id);
      return {
        session: sessionOf(row),
        person: personOf(await person.executeTakeFirstOrThrow()),
        memberships: await membershipsOf(db, row.person_id),
      };
    },
    async of(personId, now) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('person_id', '=', personId)
        .where(holdsAt('sessions.expires_at', now))
        .orderBy('last_seen_at', 'desc')
        .execute();
      return rows.map(sessionOf);
    },
    async seen(id, at, expiresAt) {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: at, expires_at: expiresAt })
        .where('id', '=', id)
        .execute();
    },
    async end(personId, id) {
      const ended = await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '=', id)
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    },
    async endAll(personId, but = '') {
      const ended = await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '!=', but)
        .executeTakeFirst();
      return Number(ended.numDeletedRows);
    },
    async forgetExpired(at) {
      await db.deleteFrom('sessions').where('expires_at', '<=', at).execute();
    },
  };
}
