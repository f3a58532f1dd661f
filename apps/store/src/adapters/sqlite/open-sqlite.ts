import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { storable } from '../../platform/database/storable.ts';
import { watchPlaces } from '../disk/in-place.ts';
import { checkpointWal } from './checkpoint-wal.ts';
import { faultOf, isBusy } from './faults.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** Statements kept ready, by their text. */
const MAX_STATEMENTS = 200;

/** Does something with the database; its faults are those of the store. */
function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Gives a node:sqlite statement the shape that Kysely's dialect expects. */
function adaptStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => attempt(() => statement.all(...values(parameters))),
    run: (parameters) => attempt(() => statement.run(...values(parameters))),
    *iterate(parameters) {
      try {
        yield* statement.iterate(...values(parameters));
      } catch (error) {
        throw faultOf(error);
      }
    },
  };
}

/** What is run for a statement of Kysely's. */
function statementFor(text: string, database: DatabaseSync): string {
  // A transaction that will write takes the lock at once: upgrading a read lock later can fail with SQLITE_BUSY.
  if (text === 'begin') return 'begin immediate';
  // SQLite rolls back by itself when the disk is full or fails; to do it again is an error, and would hide the first.
  if (text === 'rollback' && !database.isTransaction) return 'select 1';
  return text;
}

/** Statements that change nothing; all others are writes. */
const READS = /^(?:select|with|pragma|explain|rollback|savepoint|release)\b/i;

/**
 * A statement that writes, as long as the database is where it was: one that was removed or replaced takes what is written,
 * and no path leads to it again. Within a transaction it is asked at the beginning and after the commit.
 */
function guarded(
  text: string,
  statement: SqliteStatement,
  database: DatabaseSync,
  requireInPlace: () => void,
): SqliteStatement {
  if (READS.test(text)) return statement;
  const around = <T>(work: () => T): T => {
    if (!database.isTransaction) requireInPlace();
    const result = work();
    if (!database.isTransaction) requireInPlace();
    return result;
  };
  return {
    ...statement,
    all: (parameters) => around(() => statement.all(parameters)),
    run: (parameters) => around(() => statement.run(parameters)),
  };
}

function adaptDatabase(
  database: DatabaseSync,
  requireInPlace: () => void,
  onClose: () => void,
): SqliteDatabase {
  const ready = new Map<string, SqliteStatement>();
  let isEnding = false;

  /**
   * A transaction whose rollback failed is open still. Whatever came next would be written into it, read what nobody has
   * committed, be acknowledged, and be lost with the process: so it ends first, or nothing happens at all.
   */
  function endWhatFailed(): void {
    if (isEnding && database.isTransaction) attempt(() => database.exec('rollback'));
    isEnding = false;
  }

  return {
    close() {
      onClose();
      database.close();
    },
    prepare(text) {
      endWhatFailed();
      isEnding = text === 'rollback';
      const sql = statementFor(text, database);
      const held = ready.get(sql);
      if (held) return held;
      const prepared = attempt(() => adaptStatement(database.prepare(sql)));
      const statement = guarded(sql, prepared, database, requireInPlace);
      if (ready.size >= MAX_STATEMENTS) ready.clear();
      ready.set(sql, statement);
      return statement;
    },
  };
}

/** SQLite rolls back changes of tables too, so that of two processes that bring them up to date one waits. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Compiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new Compiler();
  }
}

/** Pages in the log at which SQLite empties it within a commit, if the thread that should has not: some 80 MB. */
const MAX_LOG_PAGES = 20_000;

const PAUSE_MS = 20;

/**
 * Turns a new database to write-ahead logging. While another process does the same SQLite does not wait as it does
 * elsewhere, since two that wait for each other would wait for ever; so it is tried again here.
 */
function useWriteAheadLog(database: DatabaseSync): void {
  const giveUp = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** The files that hold what was committed. SQLite removes the log only when the last connection closes. */
export const filesOf = (file: string): string[] => [file, `${file}-wal`];

/**
 * Opens the SQLite database in a file, making it when it is not there.
 * A commit returns only when it is on the disk: WAL with `synchronous=FULL`.
 * @param busyTimeoutMs how long a writer waits for another process before it gives up
 * @throws when the file cannot be opened or is no database
 */
export function openSqlite(file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  useWriteAheadLog(database);
  database.exec('pragma synchronous = full; pragma foreign_keys = on;');
  database.exec(`pragma wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  return new Kysely<Tables>({
    dialect: new Dialect({
      database: adaptDatabase(database, watchPlaces(filesOf(file)), checkpointWal(file)),
    }),
  });
}
