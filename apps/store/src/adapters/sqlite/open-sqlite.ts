import { realpathSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { openPrivateSqlite } from '@svc/bundle/private-files';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';
import { storable } from '../../platform/database/prepare.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { watchPlaces } from '../disk/in-place.ts';
import { checkpointWal } from './checkpoint-wal.ts';

const BUSY = 5;

/**
 * SQLite result codes of temporary errors, where the statement itself was valid. The primary code is the low byte of an extended one.
 */
const TRANSIENT = new Map([
  [BUSY, 'another process keeps it locked'],
  [6, 'it is locked'],
  [7, 'out of memory'],
  [8, 'the disk is read only'],
  [10, 'the disk failed'],
  [13, 'the disk is full'],
  [14, 'a file cannot be opened'],
  [15, 'another process keeps locking it'],
]);

/** The primary result code of an error; undefined for errors that are not SQLite's. */
const primaryCode = (error: unknown): number | undefined => {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
};

/** Whether an error is SQLite's "database is locked". */
export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY;

/** Converts an error of a statement: UnavailableError when a retry may succeed, else the error itself. */
export function faultOf(error: unknown): unknown {
  const why = TRANSIENT.get(primaryCode(error) ?? 0);
  return why === undefined ? error : new UnavailableError(`SQLite: ${why}.`, { cause: error });
}

/** How long a statement waits for another process: first within SQLite, which blocks the thread, then between tries. */
const BUSY_TIMEOUT_MS = 10_000;
const BLOCKING_MS = 50;
const PAUSE_MS = 20;

/** Cache of prepared statements, by their text. */
const MAX_STATEMENTS = 200;

/** Runs a database operation, and converts its errors to those of the store. */
function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Adapts a node:sqlite statement to Kysely's dialect. */
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

/** The SQL that replaces a statement of Kysely. */
function statementFor(text: string, database: DatabaseSync): string {
  // A write transaction takes the lock immediately: upgrading a read lock later can fail with SQLITE_BUSY.
  if (text === 'begin') return 'begin immediate';
  // SQLite rolls back automatically when the disk is full or fails; a second rollback is an error that would hide the first one.
  if (text === 'rollback' && !database.isTransaction) return 'select 1';
  return text;
}

/** Statements that change nothing; all others are writes. */
const READS = /^(?:select|with|pragma|explain|rollback|savepoint|release)\b/i;

/**
 * Wraps a write statement with a check that the database file is still in place: writes to a file that was removed or replaced would be
 * lost. In a transaction, the check runs at its start and after the commit.
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
   * A transaction whose rollback failed is still open. Later statements would run in it: they would read uncommitted data, be
   * acknowledged, and be lost with the process. So it is rolled back first, or every statement fails.
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

/** SQLite's DDL is transactional, so when two processes migrate at the same time, one waits for the other. */
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

/**
 * Waits for the lock of another process without blocking the thread, which goes on to serve requests. A statement outside a transaction
 * that found the database locked did nothing, so that it can run again; within one, the lock is held already.
 */
class Connection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #wait: Wait;

  constructor(inner: DatabaseConnection, wait: Wait) {
    this.#inner = inner;
    this.#wait = wait;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const giveUp = performance.now() + this.#wait.busyTimeoutMs;
    for (;;) {
      try {
        return await this.#inner.executeQuery(query);
      } catch (error) {
        const isLocked = error instanceof UnavailableError && isBusy(error.cause);
        const mayRunAgain = isLocked && !this.#wait.inTransaction();
        if (!mayRunAgain || performance.now() > giveUp) throw error;
        await pause(PAUSE_MS * (0.5 + Math.random()));
      }
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery(query, chunkSize);
  }
}

type Wait = { busyTimeoutMs: number; inTransaction: () => boolean };

class PatientDriver extends SqliteDriver {
  readonly #wait: Wait;

  constructor(config: SqliteDialectConfig, wait: Wait) {
    super(config);
    this.#wait = wait;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(await super.acquireConnection(), this.#wait);
  }
}

class Dialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #wait: Wait;

  constructor(config: SqliteDialectConfig, wait: Wait) {
    super(config);
    this.#config = config;
    this.#wait = wait;
  }

  override createDriver(): Driver {
    return new PatientDriver(this.#config, this.#wait);
  }

  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new Compiler();
  }
}

/** Pages in the log at which SQLite checkpoints within a commit, if the thread has not: some 80 MB. */
const MAX_LOG_PAGES = 20_000;

/**
 * Switches a new database to write-ahead logging. SQLite's busy timeout does not apply when another process does the same, because the
 * two could deadlock; so it is retried here.
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

/**
 * The files with committed data. SQLite removes the log only when the last connection closes.
 * @param at where the file is: SQLite keeps the log beside the file that a link leads to
 */
export const filesOf = (file: string, at = realpathSync(file)): string[] => [file, `${at}-wal`];

/**
 * Opens the SQLite database in a file, and creates it when it does not exist.
 * A commit returns only when it is on the disk: WAL with `synchronous=FULL`.
 * @param busyTimeoutMs how long a writer waits for another process before it fails
 * @throws when the file cannot be opened or is not a database
 */
export function openSqlite(file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Database {
  const database = openPrivateSqlite(file, { timeout: Math.min(BLOCKING_MS, busyTimeoutMs) });
  useWriteAheadLog(database);
  database.exec('pragma synchronous = full; pragma foreign_keys = on;');
  database.exec(`pragma wal_autocheckpoint = ${MAX_LOG_PAGES}`);
  const at = database.location() ?? file;
  return new Kysely<Tables>({
    dialect: new Dialect(
      { database: adaptDatabase(database, watchPlaces(filesOf(file, at)), checkpointWal(at)) },
      { busyTimeoutMs, inTransaction: () => database.isTransaction },
    ),
  });
}
