import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@svc/testkit/postgres-server';

/** A PostgreSQL of this run's own, to be stopped, killed and started again at will. */
export type PostgresServer = {
  /** Address of the server, to which the name of a database is appended. */
  url: string;
  /** Lets it shut down in order, which ends every connection. */
  stop(): Promise<void>;
  /** SIGKILL, as if the machine went down with it. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Nothing here outlives the machine, so nothing waits for its disk; but what is committed outlives the server. */
const SETTINGS = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off', 'max_connections=200'];

const START_TRIES = 100;
const PAUSE_MS = 100;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** @throws when it cannot be started on this machine */
export async function startTorturedPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-torture-postgres-'));
  const clean = () => rm(folder, { recursive: true, force: true });
  const { server, url } = await startPostgres(folder, SETTINGS).catch(async (error: unknown) => {
    await clean();
    throw new Error(`PostgreSQL cannot start on this machine: ${error}`);
  });

  /** What was killed leaves processes behind for a moment, beside which the server refuses to start. */
  async function start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await server.start();
      } catch (error) {
        if (tries === START_TRIES) throw new Error('PostgreSQL did not come up again.', { cause: error });
        await sleep(PAUSE_MS);
      }
    }
  }

  return {
    url,
    stop: () => server.stop(),
    async kill() {
      const pid = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      while (isAlive(pid)) await sleep(PAUSE_MS);
    },
    start,
    async close() {
      await server.stop();
      await clean();
    },
  };
}
