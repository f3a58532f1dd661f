import type { CompiledQuery } from 'kysely';
import type { Database } from './schema.ts';
import { storable } from './storable.ts';

/** A query that was built and compiled once: where its parameters stand, each time other ones go in, in the same order. */
export type Prepared<Row> = (...parameters: readonly unknown[]) => Promise<Row[]>;

/**
 * Builds and compiles a query that is asked on every request: that takes longer than to run it.
 * @param query with placeholders of the right types as its parameters
 */
export function prepare<Row>(db: Database, query: { compile(): CompiledQuery<Row> }): Prepared<Row> {
  const compiled = query.compile();
  return async (...parameters) => {
    if (parameters.length !== compiled.parameters.length) throw new Error('A query got too few or too many.');
    // A compiled query passes by where every other query has its parameters made storable.
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: parameters.map(storable) });
    return rows;
  };
}
