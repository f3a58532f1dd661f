import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { Database, Tables } from '../database/schema.ts';

/** How long a writer waits for another process, in milliseconds, before it gives up. */
const BUSY_TIMEOUT_MS = 10_000;

/** Statements kept ready, by their text. */
const MOST_STATEMENTS = 200;

/** Gives a node:sqlite statement the shape that Kysely's dialect expects. */
function adaptStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

function adaptDatabase(database: DatabaseSync): SqliteDatabase {
  const ready = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      // A transaction that will write takes the lock at once: upgrading a read lock later can fail with SQLITE_BUSY.
      const sql = text === 'begin' ? 'begin immediate' : text;
      const held = ready.get(sql);
      if (held) return held;
      const statement = adaptStatement(database.prepare(sql));
      if (ready.size >= MOST_STATEMENTS) ready.clear();
      ready.set(sql, statement);
      return statement;
    },
  };
}

/**
 * Opens the SQLite database in a file, making it when it is not there.
 * A commit returns only when it is on the disk: WAL with `synchronous=FULL`.
 * @throws when the file cannot be opened or is no database
 */
export function openSqlite(file: string): Database {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: adaptDatabase(database) }) });
}
