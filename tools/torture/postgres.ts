import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '@svc/testkit/postgres-server';

/** No fsync, since the data need not survive the machine; commits do survive the server. */
const SETTINGS = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off', 'max_connections=200'];

const START_TRIES = 100;
const PAUSE_MS = 100;

/**
 * A PostgreSQL server of this run that can be stopped, killed and restarted.
 * @throws when it cannot be started on this machine
 */
export async function startTorturedPostgres(): Promise<PostgresServer> {
  const server = await startPostgres(SETTINGS).catch((error: Error) => {
    throw new Error(`PostgreSQL cannot start on this machine: ${error.message}`, { cause: error });
  });
  return {
    ...server,
    /** Retries: a killed server leaves processes behind for a moment, which prevent a start. */
    async start() {
      for (let tries = 1; ; tries += 1) {
        try {
          return await server.start();
        } catch (error) {
          if (tries === START_TRIES) throw new Error('PostgreSQL did not restart.', { cause: error });
          await sleep(PAUSE_MS);
        }
      }
    },
  };
}
