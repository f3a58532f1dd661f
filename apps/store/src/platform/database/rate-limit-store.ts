import type { RateLimitStore } from '../rate.ts';
import { latestWritten } from '../terms.ts';
import { allOf, run } from './queries.ts';
import type { Database } from './schema.ts';

/** Stores the uses that count against rate limits. */
export const createRateLimitStore = (db: Database): RateLimitStore => ({
  within: (subject: string, ms: number, now: Date): Promise<string[]> =>
    allOf(
      db
        .selectFrom('marks')
        .select('marked_at')
        .where('subject', '=', subject)
        .where('marked_at', '>=', new Date(now.getTime() - ms).toISOString())
        .where('marked_at', '<=', latestWritten(now.toISOString()))
        .orderBy('marked_at'),
      ({ marked_at }) => marked_at,
    ),
  async add(subject: string, at: string, purgeBefore: string): Promise<void> {
    await db
      .deleteFrom('marks')
      .where('subject', '=', subject)
      .where('marked_at', '<', purgeBefore)
      .execute();
    await db.insertInto('marks').values({ subject, marked_at: at }).execute();
  },
  clear: (subject: string): Promise<void> => run(db.deleteFrom('marks').where('subject', '=', subject)),
  purgeBefore: (time: string): Promise<void> => run(db.deleteFrom('marks').where('marked_at', '<', time)),
});
