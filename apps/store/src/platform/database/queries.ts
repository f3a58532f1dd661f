import {
  type DeleteResult,
  type InsertQueryBuilder,
  type InsertResult,
  type SelectQueryBuilder,
  sql,
  type UpdateResult,
} from 'kysely';
import type { Tables } from './schema.ts';

type Change = { executeTakeFirst(): Promise<DeleteResult | UpdateResult> };

/** Runs an update or a deletion. @returns how many rows it changed */
export async function countChanged(change: Change): Promise<number> {
  const result = await change.executeTakeFirst();
  return Number('numDeletedRows' in result ? result.numDeletedRows : result.numUpdatedRows);
}

/** Runs an update or a deletion; false when no row matches. */
export const hasChanged = async (change: Change): Promise<boolean> => (await countChanged(change)) > 0;

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
