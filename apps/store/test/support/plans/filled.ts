import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { databaseIn } from '../../../src/adapters/disk/data-folder.ts';
import { fillFolder, freshDatabase } from '../database.ts';
import { explainOnPostgres, type Reading } from './explain.ts';
import { fillStatements } from './fill.ts';
import type { Recorded } from './record.ts';

const EXERCISE = join(import.meta.dirname, 'run-exercise.ts');

export async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-plans-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs every query of the store on a database, in a separate process that writes its coverage to the folder. */
export async function exercise(database: string, folder: string): Promise<Recorded[]> {
  const out = join(folder, 'queries.json');
  const env = { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage') };
  execFileSync(process.execPath, ['--conditions', 'development', EXERCISE, database, out], { env });
  return JSON.parse(await readFile(out, 'utf8'));
}

/** Creates a SQLite file with `apps` apps, and a folder for the results. */
export async function filledSqlite(apps: number) {
  const folder = await folderForTest();
  await fillFolder(folder);
  const file = databaseIn(folder);
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec('pragma synchronous = off; pragma foreign_keys = off');
  for (const statement of fillStatements(apps)) database.exec(statement);
  return { file, folder, database };
}

/** How PostgreSQL reads a database with `apps` apps. */
export async function onFilledPostgres(apps: number): Promise<Reading[]> {
  const url = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (const statement of fillStatements(apps)) await client.query(statement);
    await client.query('set session_replication_role = origin');
    await client.query('vacuum analyze');
    return await explainOnPostgres(client, await exercise(url, await folderForTest()));
  } finally {
    await client.end();
  }
}
