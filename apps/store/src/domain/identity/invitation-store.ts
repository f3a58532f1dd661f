import type { MemberRole } from '@svc/contracts';
import type { Selectable } from 'kysely';
import { isActiveAt } from '../../platform/database/is-active.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** An invitation to act for a publisher. Its link consists of its id and a MAC, which is not stored. */
export type InvitationRecord = {
  id: string;
  publisher: string;
  role: MemberRole;
  email: string | null;
  /** Id of the owner who invites. */
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
};

const invitationOf = (row: Selectable<Tables['invitations']>): InvitationRecord => ({
  id: row.id,
  publisher: row.publisher,
  role: row.role as MemberRole,
  email: row.email,
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export function createInvitationStore(db: Database) {
  const all = db.selectFrom('invitations').selectAll();
  return {
    async add({
      id,
      publisher,
      role,
      email,
      invitedBy,
      createdAt,
      expiresAt,
    }: InvitationRecord): Promise<void> {
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
    async find(id: string): Promise<InvitationRecord | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? invitationOf(row) : null;
    },
    /** Those of a publisher that have not expired at a time, oldest first. */
    async openOf(publisher: string, now: string): Promise<InvitationRecord[]> {
      const rows = await all
        .where('publisher', '=', publisher)
        .where(isActiveAt('invitations.expires_at', now))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(invitationOf);
    },
    /** Deletes an invitation; false when it does not exist any more. */
    async remove(id: string): Promise<boolean> {
      const removed = await db.deleteFrom('invitations').where('id', '=', id).executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
    /** Deletes the invitations of a user to a publisher. @returns how many there were */
    async removeBy(publisher: string, personId: string): Promise<number> {
      const removed = await db
        .deleteFrom('invitations')
        .where('publisher', '=', publisher)
        .where('invited_by', '=', personId)
        .executeTakeFirst();
      return Number(removed.numDeletedRows);
    },
    /** Deletes all invitations of a user, to any publisher. @returns how many there were */
    async removeAllBy(personId: string): Promise<number> {
      const removed = db.deleteFrom('invitations').where('invited_by', '=', personId);
      return Number((await removed.executeTakeFirst()).numDeletedRows);
    },
    /** Deletes those that had expired at a time. */
    async purgeExpired(at: string): Promise<void> {
      await db.deleteFrom('invitations').where('expires_at', '<=', at).execute();
    },
  };
}

export type InvitationStore = ReturnType<typeof createInvitationStore>;
