import { Kysely, PostgresDialect, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { storable } from '../../platform/database/storable.ts';
import type { Log } from '../../platform/system.ts';
import { TERMS } from '../../platform/terms.ts';
import { adaptPool } from './adapt-pool.ts';

/** What a connection may take. The times are milliseconds; the address may say otherwise. */
const POOL = {
  application_name: 'svc-store',
  max: 10,
  /** For a connection: to the server, or for another request to give one back. */
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  statement_timeout: 30_000,
  /**
   * Transactions run one at a time, so a process that stands still within one holds up all others: for no longer than a lease,
   * by which a process that does not move is as good as dead.
   */
  idle_in_transaction_session_timeout: TERMS['versions.lease_until'],
  /** Longer than the server's own limit: for a server that has gone without a word. */
  query_timeout: 35_000,
};

/**
 * An int8 as a number: counts and sums come as such.
 * @throws RangeError beyond 2^53, where it would be another number
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

/** Order and length of text are those of Unicode only in an encoding that has all of it. */
async function requireUtf8(db: Database): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and must be UTF8`);
}

/**
 * Opens a PostgreSQL database. A connection that breaks is replaced by the next request that needs one.
 * @param url `postgres://user:password@host:port/database`; its query may say more, such as `sslmode=verify-full`
 * @throws UnavailableError when the server cannot be reached; an Error when the database cannot be used
 */
export async function openPostgres(url: string, log: Log): Promise<Database> {
  const pool = new pg.Pool({ ...POOL, types, connectionString: url });
  // Without a listener the loss of a connection that nobody is using, or is waiting on, would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'An idle connection to PostgreSQL was lost.'));
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // Compiling a query takes longer than any query of the store runs. It is sent ahead of the first one; a proxy that
    // refuses it leaves all as it was.
    client.query('set jit = off').catch(() => {});
  });
  const db = new Kysely<Tables>({ dialect: new Dialect({ pool: adaptPool(pool) }) });
  try {
    await requireUtf8(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}
