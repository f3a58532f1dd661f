import { guarded } from '@svc/contracts/guarded';
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import { storable } from '../../platform/database/prepare.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import type { Log } from '../../platform/system.ts';
import { TERMS } from '../../platform/terms.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/**
 * SQLSTATE codes or classes (PostgreSQL appendix A) of temporary errors, where the statement itself was valid: connection lost,
 * transaction rolled back in favour of another or idle for too long, read only after a failover, out of resources, lock or statement
 * timeout, server shutting down or starting.
 */
const TRANSIENT = /^(?:08...|40001|40P01|25P03|25P04|25006|53...|55P03|57014|57P0[1-5])$/;

/** Errors of JavaScript are bugs of this program, not connection errors. */
const isBug = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** The connection is unusable: the failure was on the client's side, possibly in the middle of a response. */
export const losesConnection = (error: unknown): boolean => !(error instanceof pg.DatabaseError);

/** An error as one line. An AggregateError of several failed addresses has no message. */
const lineOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'for no reason given';
};

/** Converts an error of the connection to UnavailableError. */
const unavailable = (error: unknown): UnavailableError =>
  new UnavailableError(`PostgreSQL: ${lineOf(error)}`, { cause: error });

/** Converts an error of a statement: UnavailableError when a retry may succeed, else the error itself. */
export function faultOf(error: unknown): unknown {
  if (isBug(error)) return error;
  if (error instanceof pg.DatabaseError && !TRANSIENT.test(error.code ?? '')) return error;
  return unavailable(error);
}

/** An arbitrary number; every process of every version must use the same one. */
const WRITERS_LOCK = 7_382_010_501;

/**
 * A transaction waits here until no other is open, in this process or another, as `begin immediate` does on SQLite. Data that a use
 * case reads in a transaction therefore stays current until it commits: no version number is assigned twice, no app is listed from
 * stale data, and no use case has to retry or to map a violated constraint to an error. SERIALIZABLE would give the same guarantee, but
 * every use case would have to pass serialization failures on unchanged, and in a burst for one app nearly every attempt fails.
 * Transactions are short (a few statements by key; bundles are inspected and bytes stored outside of them), so one at a time still
 * allows hundreds per second. PostgreSQL releases the lock at the end of the transaction or of its connection (PostgreSQL section
 * 13.3.5).
 */
const TAKE_LOCK = `select pg_advisory_xact_lock($1), set_config('statement_timeout', $2, true),
  set_config('idle_in_transaction_session_timeout', $3, true)`;

function adaptClient(client: pg.PoolClient, timeouts: Timeouts): PostgresPoolClient {
  let broken = false;
  const run = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      if (losesConnection(error)) broken = true;
      throw faultOf(error);
    }
  };
  async function query(text: string, parameters: readonly unknown[]) {
    const result = await run(text, parameters);
    if (text !== 'begin') return result;
    try {
      await run(TAKE_LOCK, [WRITERS_LOCK, timeouts.statement, timeouts.idle]);
    } catch (error) {
      // Kysely does not roll back a transaction that failed to begin: the connection must not return to the pool with it still open.
      broken = true;
      throw error;
    }
    return result;
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || broken),
  };
}

/** Adapts a `pg` pool to Kysely's dialect, and converts its errors to those of the store. */
const adaptPool = (pool: pg.Pool, timeouts: Timeouts): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  async connect() {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    return adaptClient(client, timeouts);
  },
});

/** Limits of a connection. Times are in milliseconds; the URL may override them. */
const POOL = {
  application_name: 'svc-store',
  max: 10,
  /** To connect to the server, or to wait for another request to release a connection. */
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  /** Longer than the server's own timeout, for a server that disappears without closing the connection. */
  query_timeout: 35_000,
};

/** The time limits of the server, in milliseconds, as `set_config` takes them. */
type Timeouts = { statement: string; idle: string };

const TIMEOUTS = {
  statement_timeout: 30_000,
  /**
   * Transactions run one at a time, so a process that is suspended in one blocks all others. The limit is the duration of a lease,
   * after which other processes treat a suspended process as dead.
   */
  idle_in_transaction_session_timeout: TERMS['versions.lease_until'],
};

/**
 * Takes the time limits out of the URL, where they may be given. They are set by statements, when a connection is made and in each
 * transaction: in the startup message PgBouncer refuses them, and in its transaction mode a session has several connections.
 */
function limitsOf(url: string): { connectionString: string; timeouts: Timeouts } {
  const address = new URL(url);
  const take = (name: keyof typeof TIMEOUTS): string => {
    const given = address.searchParams.get(name);
    if (given === null) return String(TIMEOUTS[name]);
    address.searchParams.delete(name);
    return given;
  };
  const timeouts = {
    statement: take('statement_timeout'),
    idle: take('idle_in_transaction_session_timeout'),
  };
  const isSame = address.searchParams.size === new URL(url).searchParams.size;
  return { connectionString: isSame ? url : address.href, timeouts };
}

const SET_TIMEOUTS =
  "select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)";

/**
 * Parses an int8 as a number, such as counts and sums.
 * @throws RangeError beyond 2^53, where a number is inexact
 */
function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`PostgreSQL answered ${text}, which is no safe integer.`);
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 && format !== 'binary'
      ? safeInteger
      : pg.types.getTypeParser(type, format),
};

class Compiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}

class Dialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

/** Requires UTF-8: in another encoding, order and length of text differ from Unicode. */
async function requireUtf8(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and must be UTF8`);
}

/** What a new connection must lead to, which may be another server than before. */
export type ConnectionCheck = (query: (text: string) => Promise<object[]>) => Promise<void>;

/**
 * Opens a PostgreSQL database. The next request that needs a connection replaces a broken one.
 * @param url `postgres://user:password@host:port/database`; its query may contain options such as `sslmode=verify-full`
 * @param check rejects for a connection that must not be used; it runs for each new one
 * @throws UnavailableError when the server cannot be reached, or the database cannot be used
 */
export async function openPostgres(
  url: string,
  log: Log,
  check: ConnectionCheck = async () => {},
): Promise<Database> {
  const { connectionString, timeouts } = limitsOf(url);
  const verify = (client: pg.PoolClient, done: (error?: Error) => void) => {
    const query = async (text: string): Promise<object[]> => (await client.query(text)).rows;
    const verified = async () => {
      // JIT compilation takes longer than any query of the store. A proxy may refuse the setting, which is harmless.
      await client.query('set jit = off').catch(() => {});
      await client.query(SET_TIMEOUTS, [timeouts.statement, timeouts.idle]);
      await requireUtf8(client);
      await check(query);
    };
    verified().then(() => done(), done);
  };
  const settings: pg.PoolConfig & { verify: typeof verify } = {
    ...POOL,
    types,
    connectionString,
    verify,
  };
  const pool = new pg.Pool(settings);
  // Without a listener, the loss of an idle connection would end the process.
  const onLost = (error: Error) => log.warn({ err: error }, 'An idle connection to PostgreSQL was lost.');
  pool.on('error', guarded(onLost));
  const prepare = (client: pg.PoolClient) => {
    client.on('error', () => {});
  };
  pool.on('connect', guarded(prepare));
  const db = new Kysely<Tables>({ dialect: new Dialect({ pool: adaptPool(pool, timeouts) }) });
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}
