import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import type { Database } from '../../platform/database/schema.ts';

/** A CI workflow that may publish an app, which does not have to exist yet. */
export type TrustedPublisherRecord = RecordOf<'trusted_publishers'>;

/** Stores the CI workflows that may publish apps. */
export const createTrustedPublisherStore = (db: Database) => ({
  /** Adds a workflow; false when the same one may publish the app already. */
  async add({ claims, ...record }: TrustedPublisherRecord): Promise<boolean> {
    const added = await db
      .insertInto('trusted_publishers')
      .values({ ...columnsOf(record), claims_json: JSON.stringify(claims) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return added !== undefined;
  },
  /** The workflows of a publisher by app, the oldest first. */
  async of(publisher: string): Promise<TrustedPublisherRecord[]> {
    const rows = await db
      .selectFrom('trusted_publishers')
      .selectAll()
      .where('publisher', '=', publisher)
      .orderBy('app_id')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(fieldsOf);
  },
  /** Records that a job got a token. */
  async used(id: string, at: string): Promise<void> {
    await db.updateTable('trusted_publishers').set({ last_used_at: at }).where('id', '=', id).execute();
  },
  /** Removes a workflow of a publisher; null when there is none. */
  async remove(publisher: string, id: string): Promise<TrustedPublisherRecord | null> {
    const row = await db
      .deleteFrom('trusted_publishers')
      .where('id', '=', id)
      .where('publisher', '=', publisher)
      .returningAll()
      .executeTakeFirst();
    return row ? fieldsOf(row) : null;
  },
  async removeAll(publisher: string): Promise<void> {
    await db.deleteFrom('trusted_publishers').where('publisher', '=', publisher).execute();
  },
  /** Removes every workflow that a user added. @returns how many there were */
  async removeMadeBy(personId: string): Promise<number> {
    const removed = await db
      .deleteFrom('trusted_publishers')
      .where('made_by', '=', personId)
      .executeTakeFirst();
    return Number(removed.numDeletedRows);
  },
});

export type TrustedPublisherStore = ReturnType<typeof createTrustedPublisherStore>;
