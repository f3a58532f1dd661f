import { openPrivateSqlite } from '@svc/bundle/private-files';
import { sql } from 'kysely';
import { MIGRATION_NAMES } from '../../../adapters/database/migrations.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { inSnapshot, inSqlite, moveRows, tablesOf } from './rows.ts';

/** @throws Error when another process of a store is connected to the database, as far as the server tells */
export async function requireNoOther(db: Database): Promise<void> {
  const { rows } = await sql<{ others: number }>`
    select count(*) as others from pg_stat_activity
    where datname = current_database() and application_name = 'svc-store' and pid <> pg_backend_pid()`.execute(
    db,
  );
  if (Number(rows[0]?.others) > 0) throw new Error('the store is running: stop it first');
}

/** @throws Error when the tables of a database are not those of this program */
export async function requireOwnTables(db: Database): Promise<void> {
  const { rows } = await sql<{ tables: number }>`select count(*) as tables from kysely_migration`.execute(db);
  if (Number(rows[0]?.tables) !== MIGRATION_NAMES.length)
    throw new Error(
      'the database has the tables of another version of the store: use the svc-store that runs on it',
    );
}

/**
 * Copies the rows of a store on PostgreSQL, in one snapshot of it, to an SQLite file with the tables of this program, unless it has the same
 * ones already.
 * @param file a store on SQLite that no other process has open
 * @returns how many rows there are
 * @throws Error when the file has other rows, or a table differs after the copy
 */
export async function copyFromPostgres(source: Database, file: string): Promise<number> {
  const sqlite = openPrivateSqlite(file, { timeout: 10_000 });
  try {
    sqlite.exec('pragma synchronous = full');
    const tables = tablesOf(sqlite);
    return await inSnapshot(source, (from) => inSqlite(sqlite, (to) => moveRows(tables, from, to)));
  } finally {
    sqlite.close();
  }
}
