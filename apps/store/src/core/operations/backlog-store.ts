import type { StoreHealth } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { countRows, isActiveAt, isInactiveAt } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { waiting } from '../domain/versions/review-queue.ts';
import { IS_UNDER_WAY } from '../domain/versions/version-store.ts';

/** How many items wait, and since when the oldest one does. */
export type Backlog = { count: number; oldestAt: string | null };

/** Everything that waits in the store. */
export type StoreBacklog = {
  /** Versions in review, and how many of them are overdue. */
  queue: StoreHealth['queue'];
  /** Versions being processed without a lease of any process. */
  abandoned: number;
  submitted: Backlog;
  checking: Backlog;
  approved: Backlog;
  mails: Backlog & { tried: number };
};

const NONE: Backlog = { count: 0, oldestAt: null };

/** Versions being processed by the store itself, by state. */
async function countInProgress(db: Database): Promise<Map<string, Backlog>> {
  const rows = await db
    .selectFrom('versions')
    .where(IS_UNDER_WAY)
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('submitted_at').as('oldestAt')])
    .execute();
  return new Map(rows.map(({ state, count, oldestAt }) => [state, { count: Number(count), oldestAt }]));
}

/** Counts the versions in review. */
async function queueOf(db: Database, { now, dueBefore }: Times): Promise<StoreHealth['queue']> {
  const row = await waiting(db)
    .select(({ fn }) => {
      const all = fn.countAll();
      return [
        all.as('waiting'),
        all.filterWhere(sql<SqlBool>`submitted_at < ${dueBefore}`).as('overdue'),
        all.filterWhere('assigned_to', 'is', null).as('unassigned'),
        all.filterWhere('changes_requested_at', 'is not', null).as('changesRequested'),
        all.filterWhere(isActiveAt('versions.locked_until', now)).as('locked'),
        fn.min('submitted_at').as('oldestAt'),
      ];
    })
    .executeTakeFirstOrThrow();
  const { oldestAt, ...counts } = row;
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
  return { ...(numbers as Record<keyof typeof counts, number>), oldestAt };
}

const abandonedIn = (db: Database, now: string): Promise<number> =>
  countRows(db.selectFrom('versions').where(IS_UNDER_WAY).where(isInactiveAt('versions.lease_until', now)));

/** The current time, and the time before which submitted versions are overdue. */
type Times = { now: string; dueBefore: string };

export const createBacklogStore = (db: Database) => ({
  async read(times: Times): Promise<StoreBacklog> {
    const [queue, states, abandoned, mails] = await Promise.all([
      queueOf(db, times),
      countInProgress(db),
      abandonedIn(db, times.now),
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
      queue,
      abandoned,
      submitted: states.get('submitted') ?? NONE,
      checking: states.get('checking') ?? NONE,
      approved: states.get('approved') ?? NONE,
      mails: { count: Number(mails.count), tried: Number(mails.tried), oldestAt: mails.oldestAt },
    };
  },
});

export type BacklogStore = ReturnType<typeof createBacklogStore>;
