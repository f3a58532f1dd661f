import {
  type DeleteResult,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UpdateResult,
} from 'kysely';
import { dueBefore, latestEnd, latestWritten, type Term } from '../terms.ts';
import type { Tables } from './schema.ts';

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

type Change = { executeTakeFirst(): Promise<DeleteResult | UpdateResult> };

/** Runs an update or a deletion. @returns how many rows it changed */
export async function countChanged(change: Change): Promise<number> {
  const result = await change.executeTakeFirst();
  return Number('numDeletedRows' in result ? result.numDeletedRows : result.numUpdatedRows);
}

/** Runs an update or a deletion; false when no row matches. */
export const hasChanged = async (change: Change): Promise<boolean> => (await countChanged(change)) > 0;

/** Runs a query for its effect. */
export const run = async (query: { execute(): Promise<unknown> }): Promise<void> => {
  await query.execute();
};

/** Inserts the rows whose keys do not exist yet. */
export const insertMissing = <Table extends keyof Tables>(
  insert: InsertQueryBuilder<Tables, Table, InsertResult>,
): Promise<void> => run(insert.onConflict((conflict) => conflict.doNothing()));

/** Inserts a row; false when one with the same key exists. */
export async function isInserted<Table extends keyof Tables>(
  insert: InsertQueryBuilder<Tables, Table, InsertResult>,
): Promise<boolean> {
  const quiet = insert.onConflict((conflict) => conflict.doNothing());
  return (await quiet.returning(sql`1`.as('one')).executeTakeFirst()) !== undefined;
}

/** Whether a query returns a row. */
export const hasRow = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

/** The first row of a query, converted; null when there is none. */
export async function firstOf<Row, Item>(
  query: { executeTakeFirst(): Promise<Row | undefined> },
  convert: (row: Row) => Item,
): Promise<Item | null> {
  const row = await query.executeTakeFirst();
  return row === undefined ? null : convert(row);
}

/** The rows of a query, converted. */
export const allOf = async <Row, Item>(
  query: { execute(): Promise<Row[]> },
  convert: (row: Row) => Item,
): Promise<Item[]> => (await query.execute()).map((row) => convert(row));

/** How many rows a query finds. */
export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const counted = query.select(({ fn }) => fn.countAll().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}
