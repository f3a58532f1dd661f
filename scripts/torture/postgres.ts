import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '@svc/testkit/postgres-server';

/** Nothing here outlives the machine, so nothing waits for its disk; but what is committed outlives the server. */
const SETTINGS = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off', 'max_connections=200'];

const START_TRIES = 100;
const PAUSE_MS = 100;

/**
 * A PostgreSQL of this run's own, to be stopped, killed and started again at will.
 * @throws when it cannot be started on this machine
 */
export async function startTorturedPostgres(): Promise<PostgresServer> {
  const server = await startPostgres(SETTINGS).catch((error: Error) => {
    throw new Error(`PostgreSQL cannot start on this machine: ${error.message}`, { cause: error });
  });
  return {
    ...server,
    /** What was killed leaves processes behind for a moment, beside which the server refuses to start. */
    async start() {
      for (let tries = 1; ; tries += 1) {
        try {
          return await server.start();
        } catch (error) {
          if (tries === START_TRIES) throw new Error('PostgreSQL did not come up again.', { cause: error });
          await sleep(PAUSE_MS);
        }
      }
    },
  };
}
