import type { MemberRole } from '@svc/contracts';
import type { MemberStore } from '../../domain/identity/member-store.ts';
import type { Database } from './schema.ts';

/** Who acts for which publisher, in the database. */
export function createMemberStore(db: Database): MemberStore {
  return {
    async add({ publisher, personId, role, since }) {
      const made = await db
        .insertInto('members')
        .values({ publisher, person_id: personId, role, since })
        .onConflict((conflict) => conflict.doNothing())
        .returning('person_id')
        .executeTakeFirst();
      return made !== undefined;
    },
    async of(publisher) {
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
    async change(publisher, personId, role) {
      const changed = await db
        .updateTable('members')
        .set({ role })
        .where('publisher', '=', publisher)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },
    async remove(publisher, personId) {
      const removed = await db
        .deleteFrom('members')
        .where('publisher', '=', publisher)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
  };
}
