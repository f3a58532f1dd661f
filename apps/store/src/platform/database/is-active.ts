import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { dueBefore, latestEnd, latestWritten, type Term } from '../terms.ts';

const columnOf = (term: Term) => sql.ref(term.slice(term.indexOf('.') + 1));

/** Matches rows whose term is active at a time, by its end in a column, as `isActive` of `terms.ts` does. */
export const isActiveAt = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} > ${now} and ${columnOf(term)} <= ${latestEnd(term, now)})`;

/** Matches rows whose term is not active at a time, or that have none. */
export const isInactiveAt = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} is null or ${columnOf(term)} <= ${now} or ${columnOf(term)} > ${latestEnd(term, now)})`;

/** Matches rows whose last run, by the time in a column, is so long ago that the next is due. A time in the future is due too. */
export const isDueSince = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} <= ${dueBefore(term, now)} or ${columnOf(term)} > ${latestWritten(now)})`;
