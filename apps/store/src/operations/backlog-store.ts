import { type SqlBool, sql } from 'kysely';
import { waiting } from '../domain/versions/review-queue.ts';
import { IS_UNDER_WAY } from '../domain/versions/version-store.ts';
import type { Database } from '../platform/database/schema.ts';

/** How many of something there are, and since when the oldest of them waits. */
export type Backlog = { count: number; oldestAt: string | null };

/** What waits in the store. */
export type StoreStanding = {
  /** Versions that wait for a person, and those of them submitted before the moment asked about. */
  queue: { waiting: number; overdue: number };
  submitted: Backlog;
  checking: Backlog;
  approved: Backlog;
  mails: Backlog & { tried: number };
};

const NONE: Backlog = { count: 0, oldestAt: null };

/** Versions that no person has to do with, by their states. */
async function underWay(db: Database): Promise<Map<string, Backlog>> {
  const rows = await db
    .selectFrom('versions')
    .where(IS_UNDER_WAY)
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('submitted_at').as('oldestAt')])
    .execute();
  return new Map(rows.map(({ state, count, oldestAt }) => [state, { count: Number(count), oldestAt }]));
}

/** What waits in the store, counted in the database. */
export const createBacklogStore = (db: Database) => ({
  /** @param dueBefore versions in review that were submitted before it are overdue */
  async standing(dueBefore: string): Promise<StoreStanding> {
    const [queue, states, mails] = await Promise.all([
      waiting(db)
        .select(({ fn }) => [
          fn.countAll().as('waiting'),
          fn.countAll().filterWhere(sql<SqlBool>`submitted_at < ${dueBefore}`).as('overdue'),
        ])
        .executeTakeFirstOrThrow(),
      underWay(db),
      db
        .selectFrom('mails')
        .select(({ fn }) => [
          fn.countAll().as('count'),
          fn.countAll().filterWhere('tries', '>', 0).as('tried'),
          fn.min('created_at').as('oldestAt'),
        ])
        .executeTakeFirstOrThrow(),
    ]);
    return {
      queue: { waiting: Number(queue.waiting), overdue: Number(queue.overdue) },
      submitted: states.get('submitted') ?? NONE,
      checking: states.get('checking') ?? NONE,
      approved: states.get('approved') ?? NONE,
      mails: { count: Number(mails.count), tried: Number(mails.tried), oldestAt: mails.oldestAt },
    };
  },
});

export type BacklogStore = ReturnType<typeof createBacklogStore>;
