import type { MemberRole } from '@svc/contracts';
import type { Database } from '../../platform/database/schema.ts';

/** A person who acts for a publisher. */
export type Member = { publisher: string; personId: string; role: MemberRole; since: string };

/** Who acts for which publisher, in the database. */
export function createMemberStore(db: Database) {
  return {
    /** Adds a member; false when they are one already. */
    async add({ publisher, personId, role, since }: Member): Promise<boolean> {
      const made = await db
        .insertInto('members')
        .values({ publisher, person_id: personId, role, since })
        .onConflict((conflict) => conflict.doNothing())
        .returning('person_id')
        .executeTakeFirst();
      return made !== undefined;
    },
    /** The members of a publisher, the longest first. */
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
    /** Gives a member another role; false when they are none. */
    async change(publisher: string, personId: string, role: MemberRole): Promise<boolean> {
      const changed = await db
        .updateTable('members')
        .set({ role })
        .where('publisher', '=', publisher)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },
    /** Takes a member away; false when they are none. */
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
