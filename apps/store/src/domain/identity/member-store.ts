import type { MemberRole } from '@svc/contracts';
import type { Database } from '../../platform/database/schema.ts';

/** A user who acts for a publisher. */
export type Member = {
  publisher: string;
  personId: string;
  role: MemberRole;
  since: string;
  /** The user who invited them, or gave them their role; null for the store itself. */
  addedBy?: string | null;
};

export function createMemberStore(db: Database) {
  return {
    /** Adds a member; false for an existing member. */
    async add({ publisher, personId, role, since, addedBy = null }: Member): Promise<boolean> {
      const inserted = await db
        .insertInto('members')
        .values({ publisher, person_id: personId, role, since, added_by: addedBy })
        .onConflict((conflict) => conflict.doNothing())
        .returning('person_id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    /** The members of a publisher, the oldest membership first. */
    async of(publisher: string): Promise<Member[]> {
      const rows = await db
        .selectFrom('members')
        .selectAll()
        .where('publisher', '=', publisher)
        .orderBy('since')
        .orderBy('person_id')
        .execute();
      return rows.map((row) => ({
        publisher,
        personId: row.person_id,
        role: row.role as MemberRole,
        since: row.since,
      }));
    },
    /** Changes the role of a member, on behalf of a user; false when there is no such member. */
    async change(
      publisher: string,
      personId: string,
      role: MemberRole,
      addedBy: string | null,
    ): Promise<boolean> {
      const changed = await db
        .updateTable('members')
        .set({ role, added_by: addedBy })
        .where('publisher', '=', publisher)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },
    /** Removes the members that a user added to any publisher. @returns how many there were */
    async removeAddedBy(personId: string): Promise<number> {
      const removed = db
        .deleteFrom('members')
        .where('added_by', '=', personId)
        .where('person_id', '!=', personId);
      return Number((await removed.executeTakeFirst()).numDeletedRows);
    },
    /** Removes a member; false when there is no such member. */
    async remove(publisher: string, personId: string): Promise<boolean> {
      const removed = await db
        .deleteFrom('members')
        .where('publisher', '=', publisher)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;
