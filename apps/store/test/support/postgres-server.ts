import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
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

async function makeTemplate({ server, url }: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
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
    const started = await startPostgres(folder, FAST_POSTGRES);
    await makeTemplate(started);
    project.provide('postgres', { url: started.url, template: TEMPLATE });
    return async () => {
      await started.server.stop();
      await clean();
    };
  } catch (error) {
    const missing = `PostgreSQL cannot start on this machine: ${(error as Error | undefined)?.message ?? 'it ended at once'}`;
    project.provide('postgres', { missing });
    return clean;
  }
}
