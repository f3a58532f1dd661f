import type { MemberRole } from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { InvitationRecord, InvitationStore } from '../../domain/identity/invitation-store.ts';
import { holdsAt } from './holds.ts';
import type { Database, Tables } from './schema.ts';

const invitationOf = (row: Selectable<Tables['invitations']>): InvitationRecord => ({
  id: row.id,
  publisher: row.publisher,
  role: row.role as MemberRole,
  email: row.email,
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** Invitations, in the database. */
export function createInvitationStore(db: Database): InvitationStore {
  const all = db.selectFrom('invitations').selectAll();
  return {
    async add({ id, publisher, role, email, invitedBy, createdAt, expiresAt }) {
      await db
        .insertInto('invitations')
        .values({
          id,
          publisher,
          role,
          email,
          invited_by: invitedBy,
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .execute();
    },
    async find(id) {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? invitationOf(row) : null;
    },
    async openOf(publisher, now) {
      const rows = await all
        .where('publisher', '=', publisher)
        .where(holdsAt('invitations.expires_at', now))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(invitationOf);
    },
    async remove(id) {
      const removed = await db.deleteFrom('invitations').where('id', '=', id).executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
    async removeBy(publisher, personId) {
      const removed = await db
        .deleteFrom('invitations')
        .where('publisher', '=', publisher)
        .where('invited_by', '=', personId)
        .executeTakeFirst();
      return Number(removed.numDeletedRows);
    },
    async forgetExpired(at) {
      await db.deleteFrom('invitations').where('expires_at', '<=', at).execute();
    },
  };
}
