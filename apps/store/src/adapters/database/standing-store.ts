import { type SqlBool, sql } from 'kysely';
import type { Backlog, StandingStore } from '../../operations/standing-store.ts';
import { waiting } from './review-queue.ts';
import type { Database } from './schema.ts';

const NONE: Backlog = { count: 0, oldestAt: null };

/** Versions that no person has to do with, by their states: they are under way for seconds. */
async function underWay(db: Database): Promise<Map<string, Backlog>> {
  const rows = await db
    .selectFrom('versions')
    .where('state', 'in', ['submitted', 'checking', 'approved'])
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll().as('count'), fn.min('submitted_at').as('oldestAt')])
    .execute();
  return new Map(rows.map(({ state, count, oldestAt }) => [state, { count: Number(count), oldestAt }]));
}

/** What waits in the store, counted in the database. */
export const createStandingStore = (db: Database): StandingStore => ({
  async standing(dueBefore) {
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
