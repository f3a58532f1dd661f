import type { CompiledQuery } from 'kysely';
import type { Database } from './schema.ts';

const NUL = '\0';
const REPLACEMENT = '\uFFFD';

/**
 * Makes a value storable in both databases. PostgreSQL does not allow U+0000 in text, and LIKE of SQLite ends at it, so it is replaced
 * by U+FFFD, as CommonMark (section 2.3) requires for a README anyway. No id, number or hash contains either, so a search for one finds
 * nothing.
 */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(NUL, REPLACEMENT) : value;

/** A query that is compiled once, and run with other parameters in the same order. */
export type Prepared<Row> = (...parameters: readonly unknown[]) => Promise<Row[]>;

/**
 * Prepares a query that runs on every request: it is compiled once, as compiling takes longer than running it, and only when it runs
 * for the first time, as most transactions never run it.
 * @param query builds the query, with placeholder values of the right types as its parameters
 */
export function prepare<Row>(db: Database, query: () => { compile(): CompiledQuery<Row> }): Prepared<Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (...parameters) => {
    compiled ??= query().compile();
    if (parameters.length !== compiled.parameters.length)
      throw new Error('A query has the wrong number of parameters.');
    // Compiled queries bypass the plugin that makes the parameters of all others storable.
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: parameters.map(storable) });
    return rows;
  };
}
