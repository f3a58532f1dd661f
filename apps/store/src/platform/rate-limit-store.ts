import type { Database } from './database/schema.ts';
import { latestWritten } from './terms.ts';

/** Stores the uses that count against rate limits. */
export const createRateLimitStore = (db: Database) => ({
  /** The times of uses of a subject in the last `ms` milliseconds, oldest first. Times in the future, of a clock that was ahead, do not count. */
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
  /** Records a use, and deletes the uses of the subject before a time. */
  async add(subject: string, at: string, purgeBefore: string): Promise<void> {
    await db
      .deleteFrom('marks')
      .where('subject', '=', subject)
      .where('marked_at', '<', purgeBefore)
      .execute();
    await db.insertInto('marks').values({ subject, marked_at: at }).execute();
  },
  /** Deletes all uses of a subject. */
  async clear(subject: string): Promise<void> {
    await db.deleteFrom('marks').where('subject', '=', subject).execute();
  },
  /** Deletes all uses before a time. */
  async purgeBefore(time: string): Promise<void> {
    await db.deleteFrom('marks').where('marked_at', '<', time).execute();
  },
});

export type RateLimitStore = ReturnType<typeof createRateLimitStore>;
