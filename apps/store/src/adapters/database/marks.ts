import type { Marks } from '../../platform/rate.ts';
import { latestWritten } from '../../platform/terms.ts';
import type { Database } from './schema.ts';

/** What is counted against a bound, in the database. */
export const createMarks = (db: Database): Marks => ({
  async within(subject, ms, now) {
    const rows = await db
      .selectFrom('marks')
      .select('marked_at')
      .where('subject', '=', subject)
      .where('marked_at', '>=', new Date(now.getTime() - ms).toISOString())
      .where('marked_at', '<=', latestWritten(now.toISOString()))
      .orderBy('marked_at')
      .execute();
    return rows.map(({ marked_at }) => marked_at);
  },
  async add(subject, at, forgetBefore) {
    await db
      .deleteFrom('marks')
      .where('subject', '=', subject)
      .where('marked_at', '<', forgetBefore)
      .execute();
    await db.insertInto('marks').values({ subject, marked_at: at }).execute();
  },
  async forgetBefore(time) {
    await db.deleteFrom('marks').where('marked_at', '<', time).execute();
  },
});
