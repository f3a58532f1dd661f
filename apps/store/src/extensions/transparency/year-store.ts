import type { AppealOutcome, ReportCategory, Transparency } from '@svc/contracts';
import type { Database } from '../../platform/database/schema.ts';

/** The first moments of a year and of the next one. */
const boundsOf = (year: number) =>
  [`${year}-01-01T00:00:00.000Z`, `${year + 1}-01-01T00:00:00.000Z`] as const;

/** Counts what the store decided. */
export const createYearStore = (db: Database) => ({
  /** Counts the decisions, appeals and reports of a year. */
  async countYear(year: number): Promise<Omit<Transparency, 'year'>> {
    const [from, to] = boundsOf(year);
    const decisions = await db
      .selectFrom('decisions')
      .select(({ fn }) => ['kind', 'rule', fn.countAll().as('count')])
      .where('decided_at', '>=', from)
      .where('decided_at', '<', to)
      .groupBy(['kind', 'rule'])
      .orderBy('kind')
      .orderBy('rule')
      .execute();
    const appeals = await db
      .selectFrom('decisions')
      .select(({ fn }) => ['appeal_state', fn.countAll().as('count')])
      .where('appealed_at', '>=', from)
      .where('appealed_at', '<', to)
      .groupBy('appeal_state')
      .orderBy('appeal_state')
      .execute();
    const reports = await db
      .selectFrom('reports')
      .select(({ fn }) => ['category', 'state', fn.countAll().as('count')])
      .where('reported_at', '>=', from)
      .where('reported_at', '<', to)
      .groupBy(['category', 'state'])
      .orderBy('category')
      .orderBy('state')
      .execute();
    return {
      decisions: decisions.map(({ kind, rule, count }) => ({ kind, rule, count: Number(count) })),
      appeals: appeals.map(({ appeal_state, count }) => ({
        what: appeal_state as 'open' | AppealOutcome,
        count: Number(count),
      })),
      reports: reports.map(({ category, state, count }) => ({
        category: category as ReportCategory,
        state: state as Transparency['reports'][number]['state'],
        count: Number(count),
      })),
    };
  },
});

export type YearStore = ReturnType<typeof createYearStore>;
