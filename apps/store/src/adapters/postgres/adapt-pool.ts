import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { faultOf, losesConnection, unavailable } from './faults.ts';

/** Any number, as long as every process of every version takes the same one. */
const WRITERS_LOCK = 7_382_010_501;

/**
 * A transaction waits here until no other is under way, in this process or another, as `begin immediate` makes it wait
 * on SQLite. What a use case reads in a transaction therefore holds until it has written: no version number is given
 * twice, no app listed by a stale reading, and nothing has to be tried again or told apart by which constraint broke.
 * SERIALIZABLE would promise the same, but a use case that meets a serialisation failure would have to let it through
 * untouched, and under a burst for one app nearly every attempt fails. The transactions are short (a few statements on
 * keys; bundles are opened and bytes kept outside of them), so one at a time is hundreds a second. The lock ends with
 * the transaction, or with its connection (PostgreSQL section 13.3.5).
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
      // Nobody rolls back what did not begin: the connection must not go back with a transaction open on it.
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

/** Gives a pool of `pg` the shape that Kysely's dialect expects; its faults are those of the store. */
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
