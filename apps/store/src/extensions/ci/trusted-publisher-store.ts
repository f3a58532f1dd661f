import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, countChanged, firstOf, isInserted, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A CI workflow that may publish an app, which does not have to exist yet. */
export type TrustedPublisherRecord = RecordOf<'trusted_publishers'>;

/** Stores the CI workflows that may publish apps. */
export const createTrustedPublisherStore = (db: Database) => ({
  /** Adds a workflow; false when the same one may publish the app already. */
  add: ({ claims, ...record }: TrustedPublisherRecord): Promise<boolean> =>
    isInserted(
      db
        .insertInto('trusted_publishers')
        .values({ ...columnsOf(record), claims_json: JSON.stringify(claims) }),
    ),
  /** The workflows of a publisher by app, the oldest first. */
  of: (publisher: string): Promise<TrustedPublisherRecord[]> =>
    allOf(
      db
        .selectFrom('trusted_publishers')
        .selectAll()
        .where('publisher', '=', publisher)
        .orderBy('app_id')
        .orderBy('created_at')
        .orderBy('id'),
      fieldsOf,
    ),
  /** Records that a job got a token. */
  used: (id: string, at: string): Promise<void> =>
    run(db.updateTable('trusted_publishers').set({ last_used_at: at }).where('id', '=', id)),
  /** Removes a workflow of a publisher; null when there is none. */
  remove: (publisher: string, id: string): Promise<TrustedPublisherRecord | null> =>
    firstOf(
      db
        .deleteFrom('trusted_publishers')
        .where('id', '=', id)
        .where('publisher', '=', publisher)
        .returningAll(),
      fieldsOf,
    ),
  removeAll: (publisher: string): Promise<void> =>
    run(db.deleteFrom('trusted_publishers').where('publisher', '=', publisher)),
  /** Removes every workflow that a user added. @returns how many there were */
  removeMadeBy: (personId: string): Promise<number> =>
    countChanged(db.deleteFrom('trusted_publishers').where('made_by', '=', personId)),
});

export type TrustedPublisherStore = ReturnType<typeof createTrustedPublisherStore>;
