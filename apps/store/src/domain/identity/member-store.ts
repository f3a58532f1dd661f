import type { MemberRole, PublisherMember } from '@svc/contracts';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, countChanged, hasChanged, isInserted } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { Person } from './person-store.ts';

/** A member of a publisher. Only owners and administrators see email addresses. */
export const presentMember = (
  { personId, role, since }: Member,
  person: Person | undefined,
  forOwner: boolean,
): PublisherMember => ({
  personId,
  name: person?.name ?? '',
  email: forOwner ? (person?.email ?? null) : null,
  role,
  since,
});

/** A user who acts for a publisher. */
export type Member = Omit<RecordOf<'members'>, 'addedBy'> & { addedBy?: string | null };

export function createMemberStore(db: Database) {
  return {
    /** Adds a member; false for an existing member. */
    add: ({ addedBy = null, ...member }: Member): Promise<boolean> =>
      isInserted(db.insertInto('members').values({ ...columnsOf(member), added_by: addedBy })),
    /** The members of a publisher, the oldest membership first. */
    of: (publisher: string): Promise<Member[]> =>
      allOf(
        db
          .selectFrom('members')
          .selectAll()
          .where('publisher', '=', publisher)
          .orderBy('since')
          .orderBy('person_id'),
        fieldsOf,
      ),
    /** Changes the role of a member, on behalf of a user; false when there is no such member. */
    change: (
      publisher: string,
      personId: string,
      role: MemberRole,
      addedBy: string | null,
    ): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('members')
          .set({ role, added_by: addedBy })
          .where('publisher', '=', publisher)
          .where('person_id', '=', personId),
      ),
    /** Removes the members that a user added to any publisher. @returns how many there were */
    removeAddedBy: (personId: string): Promise<number> =>
      countChanged(
        db.deleteFrom('members').where('added_by', '=', personId).where('person_id', '!=', personId),
      ),
    /** Removes a member; false when there is no such member. */
    remove: (publisher: string, personId: string): Promise<boolean> =>
      hasChanged(
        db.deleteFrom('members').where('publisher', '=', publisher).where('person_id', '=', personId),
      ),
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;
