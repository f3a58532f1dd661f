import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { isActiveAt } from '../../platform/database/is-active.ts';
import type { Database } from '../../platform/database/schema.ts';

/** An invitation to act for a publisher. */
export type InvitationRecord = RecordOf<'invitations'>;

export function createInvitationStore(db: Database) {
  const all = db.selectFrom('invitations').selectAll();
  return {
    async add(record: InvitationRecord): Promise<void> {
      await db.insertInto('invitations').values(columnsOf(record)).execute();
    },
    async find(id: string): Promise<InvitationRecord | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? fieldsOf(row) : null;
    },
    /** Those of a publisher that have not expired at a time, oldest first. */
    async openOf(publisher: string, now: string): Promise<InvitationRecord[]> {
      const rows = await all
        .where('publisher', '=', publisher)
        .where(isActiveAt('invitations.expires_at', now))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fieldsOf);
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
