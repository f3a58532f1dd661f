import { FAST_POSTGRES, type PostgresServer as Started, startPostgres } from '@svc/testkit/postgres-server';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/adapters/database/migrations.ts';
import { openPostgres } from '../../src/adapters/postgres/open-postgres.ts';

/** The server of this test run: its URL, or why it is missing. */
export type PostgresServer = { url: string; template: string } | { missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresServer;
  }
}

const TEMPLATE = 'svc_template';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function makeTemplate(server: Started): Promise<void> {
  await server.createDatabase(TEMPLATE);
  const db = await openPostgres(server.url + TEMPLATE, silent);
  await migrate(db);
  await db.destroy();
}

/** Starts one PostgreSQL for the whole test run, with an empty, migrated database. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  let server: Started | undefined;
  try {
    server = await startPostgres(FAST_POSTGRES);
    await makeTemplate(server);
    project.provide('postgres', { url: server.url, template: TEMPLATE });
    return server.close;
  } catch (error) {
    await server?.close();
    const missing = `PostgreSQL cannot start on this machine: ${(error as Error).message}`;
    project.provide('postgres', { missing });
    return undefined;
  }
}
