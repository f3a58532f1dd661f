import type { Database } from '../../../platform/database/schema.ts';
import type { UnitOfWork } from '../../../platform/system.ts';

/**
 * Adds the queries of an extension to the parts of the store, and to the stores of each of its transactions. No other part gets them.
 * @param queries creates them on the database, or on a transaction of it
 */
export const withQueries = <
  Stores extends { db: Database },
  Parts extends { db: Database; unitOfWork: UnitOfWork<Stores> },
  Own extends object,
>(
  parts: Parts & { unitOfWork: UnitOfWork<Stores> },
  queries: (db: Database) => Own,
): Omit<Parts, 'unitOfWork'> & Own & { unitOfWork: UnitOfWork<Stores & Own> } => ({
  ...parts,
  ...queries(parts.db),
  unitOfWork: (work) => parts.unitOfWork((stores) => work({ ...stores, ...queries(stores.db) })),
});
