import type { Database } from './database/schema.ts';
import { latestWritten } from './terms.ts';

/** What is counted against a bound, in the database. */
export const createRateLimitStore = (db: Database) => ({
  /** RateLimitStore of a subject within the time before now, in milliseconds, oldest first. None that a clock set which was ahead. */
  async within(subject: string, ms: number, now: Date): Promise<string[]> {
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
  /** Sets a mark, and forgets those of the subject before a time. */
  async add(subject: string, at: string, purgeBefore: string): Promise<void> {
    await db
      .deleteFrom('marks')
      .where('subject', '=', subject)
      .where('marked_at', '<', purgeBefore)
      .execute();
    await db.insertInto('marks').values({ subject, marked_at: at }).execute();
  },
  /** Forgets all marks before a time. */
  async purgeBefore(time: string): Promise<void> {
    await db.deleteFrom('marks').where('marked_at', '<', time).execute();
  },
});

export type RateLimitStore = ReturnType<typeof createRateLimitStore>;
