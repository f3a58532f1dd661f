import { createRequire } from 'node:module';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { around, aroundSync, type Fault } from './strike.ts';

type Any = (...args: unknown[]) => unknown;
type AnyAsync = (...args: unknown[]) => Promise<unknown>;

/** The start of a statement, which identifies it. */
const nameOf = (sql: string): string => sql.replace(/\s+/g, ' ').slice(0, 40);

/** Result codes of SQLite (https://sqlite.org/rescode.html). A quota error is a full disk for SQLite. */
const SQLITE: Record<Fault, [errcode: number, errstr: string]> = {
  ENOSPC: [13, 'database or disk is full'],
  EIO: [10, 'disk I/O error'],
  EDQUOT: [13, 'database or disk is full'],
};

const databases = new WeakMap<StatementSync, DatabaseSync>();

/** SQLite may roll back the whole transaction on these errors (lang_transaction.html section 3); on EIO it does. */
const sqliteFailure =
  (database: DatabaseSync | undefined, rollBack: (of: DatabaseSync) => void) => (fault: Fault) => {
    if (fault === 'EIO' && database?.isTransaction) rollBack(database);
    const [errcode, errstr] = SQLITE[fault];
    return Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode, errstr });
  };

/** Makes every call of `node:sqlite` a step. */
export function patchSqlite(statement: StatementSync): void {
  const database = DatabaseSync.prototype as unknown as Record<'prepare' | 'exec', Any>;
  const { prepare, exec } = database;
  const rollBack = (of: DatabaseSync) => void exec.call(of, 'rollback');
  database.prepare = function (this: DatabaseSync, ...args) {
    const made = prepare.apply(this, args) as StatementSync;
    databases.set(made, this);
    return made;
  };
  database.exec = function (this: DatabaseSync, ...args) {
    return aroundSync(`sqlite ${nameOf(String(args[0]))}`, {
      run: () => exec.apply(this, args),
      fail: sqliteFailure(this, rollBack),
    });
  };
  const statements = Object.getPrototypeOf(statement) as Record<'run' | 'all' | 'get' | 'iterate', Any>;
  for (const name of ['run', 'all', 'get', 'iterate'] as const) {
    const original = statements[name];
    statements[name] = function (this: StatementSync, ...args) {
      return aroundSync(`sqlite ${nameOf(this.sourceSQL)}`, {
        run: () => original.apply(this, args),
        fail: sqliteFailure(databases.get(this), rollBack),
      });
    };
  }
}

type Pg = {
  Client: { prototype: { query: AnyAsync } };
  DatabaseError: new (message: string, length: number, name: string) => Error;
};

/** SQLSTATEs of PostgreSQL (appendix A); a quota error stands for a broken connection. */
const SQLSTATE: Partial<Record<Fault, [code: string, message: string]>> = {
  ENOSPC: ['53100', 'could not extend file: No space left on device'],
  EIO: ['58030', 'could not read block: Input/output error'],
};

/** Makes every query of `pg` a step. Patches the copy of the library that the store uses. */
export function patchPostgres(): void {
  const { Client, DatabaseError } = createRequire(
    new URL('../../../apps/store/package.json', import.meta.url),
  )('pg') as Pg;
  const { query } = Client.prototype;
  const failure = (client: object) => async (fault: Fault) => {
    const state = SQLSTATE[fault];
    if (!state) return new Error('Connection terminated unexpectedly');
    // A failed statement aborts the transaction; outside of a transaction, this does nothing.
    await query.call(client, 'select 1/0').catch(() => {});
    return Object.assign(new DatabaseError(state[1], 0, 'error'), { code: state[0], severity: 'ERROR' });
  };
  Client.prototype.query = function (this: object, ...args) {
    if (typeof args.at(-1) === 'function') return query.apply(this, args);
    return around(`postgres ${nameOf(String(args[0]))}`, {
      run: () => query.apply(this, args),
      fail: failure(this),
    });
  };
}
