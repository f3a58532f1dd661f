import type { FlagReason } from '@svc/contracts';
import { sql } from 'kysely';
import { run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';

/** A report of a review by a user. */
export type Flag = {
  ratingId: string;
  personId: string;
  byPublisher: boolean;
  reason: FlagReason;
  note: string;
  at: string;
};

export const createFlagStore = (db: Database) => ({
  /** Stores a flag, replacing an earlier one of the same person. */
  async put({ ratingId, personId, byPublisher, reason, note, at }: Flag): Promise<void> {
    const columns = { by_publisher: flag(byPublisher), reason, note, flagged_at: at, decided_at: null };
    await db
      .insertInto('rating_flags')
      .values({ rating_id: ratingId, person_id: personId, ...columns })
      .onConflict((conflict) => conflict.columns(['rating_id', 'person_id']).doUpdateSet(columns))
      .execute();
  },
  /** When the flag of a person was decided: null when it is open, undefined when there is none. */
  async decidedAt(ratingId: string, personId: string): Promise<string | null | undefined> {
    const row = await db
      .selectFrom('rating_flags')
      .select('decided_at')
      .where('rating_id', '=', ratingId)
      .where('person_id', '=', personId)
      .executeTakeFirst();
    return row?.decided_at;
  },
  /** The open flags of some ratings, oldest first, at most `max` of each. */
  async open(ratingIds: readonly string[], max: number): Promise<Flag[]> {
    if (ratingIds.length === 0) return [];
    const ranked = db
      .selectFrom('rating_flags')
      .selectAll()
      .select(
        sql<number>`row_number() over (partition by rating_id order by flagged_at, person_id)`.as('place'),
      )
      .where('rating_id', 'in', ratingIds)
      .where('decided_at', 'is', null);
    const rows = await db
      .selectFrom(ranked.as('ranked'))
      .selectAll()
      .where('place', '<=', max)
      .orderBy('rating_id')
      .orderBy('place')
      .execute();
    return rows.map((row) => ({
      ratingId: row.rating_id,
      personId: row.person_id,
      byPublisher: row.by_publisher === 1,
      reason: row.reason as FlagReason,
      note: row.note,
      at: row.flagged_at,
    }));
  },
  async decide(ratingId: string, at: string): Promise<void> {
    await db
      .updateTable('rating_flags')
      .set({ decided_at: at })
      .where('rating_id', '=', ratingId)
      .where('decided_at', 'is', null)
      .execute();
  },
  /** Deletes flags that were decided before a time. */
  purgeDecided: (before: string): Promise<void> =>
    run(db.deleteFrom('rating_flags').where('decided_at', '<', before)),
});

export type FlagStore = ReturnType<typeof createFlagStore>;
