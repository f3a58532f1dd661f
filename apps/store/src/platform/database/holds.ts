import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { dueBefore, latestEnd, latestWritten, type Term } from '../terms.ts';

const columnOf = (term: Term) => sql.ref(term.slice(term.indexOf('.') + 1));

/** Whether the end in a column says that something holds at a time, as `holds` of the platform does. */
export const holdsAt = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} > ${now} and ${columnOf(term)} <= ${latestEnd(term, now)})`;

/** Whether there is no end in a column, or one that holds nothing at a time. */
export const freeAt = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} is null or ${columnOf(term)} <= ${now} or ${columnOf(term)} > ${latestEnd(term, now)})`;

/** Whether the time of the last turn in a column is so long ago that it is due again. A time to come counts as none. */
export const isDueSince = (term: Term, now: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${columnOf(term)} <= ${dueBefore(term, now)} or ${columnOf(term)} > ${latestWritten(now)})`;
