import type { MemberRole, PublisherMember } from '@svc/contracts';
import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import { allOf, countChanged, hasChanged, isInserted, run } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
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
export type Member = Omit<RecordOf<'members'>, 'addedBy' | 'ownerSince'> & {
  addedBy?: string | null;
  /** Since when they are an owner; as they joined, when it is not given. */
  ownerSince?: string | null;
};

const rowOf = ({ addedBy = null, ownerSince, ...member }: Member) => ({
  ...columnsOf(member),
  added_by: addedBy,
  owner_since: member.role === 'owner' ? (ownerSince ?? member.since) : null,
});

export function createMemberStore(db: Database) {
  return {
    /** Adds a member; false for an existing member. */
    add: (member: Member): Promise<boolean> => isInserted(db.insertInto('members').values(rowOf(member))),
    /** Makes a user the member that they were, whatever they are now. */
    restore: (member: Member): Promise<void> => {
      const { publisher: _publisher, person_id: _personId, ...row } = rowOf(member);
      const back = db.insertInto('members').values(rowOf(member));
      return run(back.onConflict((known) => known.columns(['publisher', 'person_id']).doUpdateSet(row)));
    },
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
      { addedBy, at }: { addedBy: string | null; at: string },
    ): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('members')
          .set(({ fn, ref, val }) => ({
            role,
            added_by: addedBy,
            owner_since: role === 'owner' ? fn.coalesce(ref('owner_since'), val(at)) : null,
          }))
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
