import type { Database } from './schema.ts';

/** Runs work in a new transaction, or in the current one. */
export const inTransaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);
