import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { faultOf, losesConnection, unavailable } from './faults.ts';

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
const TAKE_LOCK = 'select pg_advisory_xact_lock($1)';

function adaptClient(client: pg.PoolClient): PostgresPoolClient {
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
      await run(TAKE_LOCK, [WRITERS_LOCK]);
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
export const adaptPool = (pool: pg.Pool): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  async connect() {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    return adaptClient(client);
  },
});
