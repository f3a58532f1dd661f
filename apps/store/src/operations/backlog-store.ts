import type { StoreHealth } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { waiting } from '../domain/versions/review-queue.ts';
import { IS_UNDER_WAY } from '../domain/versions/version-store.ts';
import { freeAt, holdsAt } from '../platform/database/holds.ts';
import type { Database } from '../platform/database/schema.ts';

/** How many of something there are, and since when the oldest of them waits. */
export type Backlog = { count: number; oldestAt: string | null };

/** What waits in the store. */
export type StoreStanding = {
  /** Versions that wait for a person, and those of them submitted before the moment asked about. */
  queue: StoreHealth['queue'];
  /** Versions under way on which no process holds a lease. */
  abandoned: number;
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

/** The versions in review, counted by how they stand. */
async function queueOf(db: Database, { now, dueBefore }: Moments): Promise<StoreHealth['queue']> {
  const row = await waiting(db)
    .select(({ fn }) => {
      const all = fn.countAll();
      return [
        all.as('waiting'),
        all.filterWhere(sql<SqlBool>`submitted_at < ${dueBefore}`).as('overdue'),
        all.filterWhere('assigned_to', 'is', null).as('unassigned'),
        all.filterWhere('changes_requested_at', 'is not', null).as('changesRequested'),
        all.filterWhere(holdsAt('versions.locked_until', now)).as('locked'),
        fn.min('submitted_at').as('oldestAt'),
      ];
    })
    .executeTakeFirstOrThrow();
  const { oldestAt, ...counts } = row;
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
  return { ...(numbers as Record<keyof typeof counts, number>), oldestAt };
}

async function abandonedIn(db: Database, now: string): Promise<number> {
  const row = await db
    .selectFrom('versions')
    .where(IS_UNDER_WAY)
    .where(freeAt('versions.lease_until', now))
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The time, and the moment before which versions in review that were submitted are overdue. */
type Moments = { now: string; dueBefore: string };

/** What waits in the store, counted in the database. */
export const createBacklogStore = (db: Database) => ({
  async standing(moments: Moments): Promise<StoreStanding> {
    const [queue, states, abandoned, mails] = await Promise.all([
      queueOf(db, moments),
      underWay(db),
      abandonedIn(db, moments.now),
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
