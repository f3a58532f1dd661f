import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { SortedPlace } from '../page-of.ts';

/** How many rows one request searches for a text. A page ends there, full or not, and the next request searches on. */
const SEARCHED = 100_000;

type Order = {
  key: RawBuilder<unknown>;
  /** Breaks ties; the same object as `key` when that is unique, as an index then covers it alone. */
  id: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
};

/** A page of a search, as the stores take it. */
export type TextSearch = {
  /** A text that one of the columns contains, regardless of the case of ASCII letters. */
  text?: string | undefined;
  /** The end of the previous page. */
  after: SortedPlace | null;
  limit: number;
  /** How many rows are searched, where not `SEARCHED`. */
  searched?: number;
};

/** The rows of a page, and one more when there are more. `end` is where a search stopped before the last row. */
export type Walked<Row> = { rows: Row[]; end: SortedPlace | null };

/** Lower-cases the ASCII letters of a text, as `lower()` of both databases does for columns in byte order. */
export const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Matches rows in which one of some columns contains a text. The databases differ in how they lower-case other letters than ASCII. */
function contains(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const pattern = `%${asciiLower(text).replace(/[\\%_]/g, '\\$&')}%`;
  const matches = (column: string) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
  return sql<SqlBool>`(${sql.join(columns.map(matches), sql` or `)})`;
}

/**
 * Reads a page of rows in an order for which there is an index, with row values, for which both databases use it.
 * @param query all rows, with the filters besides the text
 */
export async function walk<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { key, id, direction }: Order,
  { text, columns, after, limit, searched = SEARCHED }: TextSearch & { columns: readonly string[] },
  placeOf: (row: Row) => SortedPlace,
): Promise<Walked<Row>> {
  const is = (sign: string, place: SortedPlace): RawBuilder<SqlBool> =>
    key === id
      ? sql`${id} ${sql.raw(sign)} ${place.id}`
      : sql`(${key}, ${id}) ${sql.raw(sign)} (${place.key}, ${place.id})`;
  const [beyond, upTo] = direction === 'asc' ? ['>', '<='] : ['<', '>='];
  const ordered = (after === null ? query : query.where(is(beyond, after)))
    .orderBy(key, direction)
    .orderBy(id, direction);
  if (text === undefined) return { rows: await ordered.limit(limit + 1).execute(), end: null };
  const last = await ordered
    .offset(searched - 1)
    .limit(1)
    .executeTakeFirst();
  const end = last === undefined ? null : placeOf(last);
  const rows = await (end === null ? ordered : ordered.where(is(upTo, end)))
    .where(contains(columns, text))
    .limit(limit + 1)
    .execute();
  return { rows, end: rows.length > limit ? null : end };
}
