import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import {
  allOf,
  countChanged,
  firstOf,
  hasChanged,
  isActiveAt,
  run,
} from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';

/** An invitation to act for a publisher. */
export type InvitationRecord = RecordOf<'invitations'>;

export function createInvitationStore(db: Database) {
  const all = db.selectFrom('invitations').selectAll();
  return {
    add: (record: InvitationRecord): Promise<void> =>
      run(db.insertInto('invitations').values(columnsOf(record))),
    find: (id: string): Promise<InvitationRecord | null> => firstOf(all.where('id', '=', id), fieldsOf),
    /** Those of a publisher that have not expired at a time, oldest first. */
    openOf: (publisher: string, now: string): Promise<InvitationRecord[]> =>
      allOf(
        all
          .where('publisher', '=', publisher)
          .where(isActiveAt('invitations.expires_at', now))
          .orderBy('created_at')
          .orderBy('id'),
        fieldsOf,
      ),
    /** Deletes an invitation; false when it does not exist any more. */
    remove: (id: string): Promise<boolean> => hasChanged(db.deleteFrom('invitations').where('id', '=', id)),
    /** Deletes the invitations of a user to a publisher. @returns how many there were */
    removeBy: (publisher: string, personId: string): Promise<number> =>
      countChanged(
        db.deleteFrom('invitations').where('publisher', '=', publisher).where('invited_by', '=', personId),
      ),
    /** Deletes all invitations of a user, to any publisher. @returns how many there were */
    removeAllBy: (personId: string): Promise<number> =>
      countChanged(db.deleteFrom('invitations').where('invited_by', '=', personId)),
    /** Deletes those that had expired at a time. */
    purgeExpired: (at: string): Promise<void> =>
      run(db.deleteFrom('invitations').where('expires_at', '<=', at)),
  };
}

export type InvitationStore = ReturnType<typeof createInvitationStore>;
