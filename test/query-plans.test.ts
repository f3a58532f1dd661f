import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEEP } from '@svc/testkit';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { databaseIn } from '../apps/store/src/adapters/disk/data-folder.ts';
import { fillFolder, freshDatabase, onPostgres } from '../apps/store/test/support/database.ts';
import { explainOnPostgres, explainOnSqlite, type Reading } from './support/plans/explain.ts';
import { fillStatements } from './support/plans/fill.ts';
import { READS_MUCH } from './support/plans/reads-much.ts';
import type { Recorded } from './support/plans/record.ts';
import { unexercisedIn } from './support/plans/unexercised.ts';

const EXERCISE = join(import.meta.dirname, 'support/plans/run-exercise.ts');

async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-plans-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs every query of the store on a database, in a process of its own whose coverage stays in the folder. */
async function exercise(database: string, folder: string): Promise<Recorded[]> {
  const out = join(folder, 'queries.json');
  const env = { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage') };
  execFileSync(process.execPath, ['--conditions', 'development', EXERCISE, database, out], { env });
  return JSON.parse(await readFile(out, 'utf8'));
}

/** A SQLite file with so many apps, and a folder for what is found about it. */
async function filledSqlite(apps: number) {
  const folder = await folderForTest();
  await fillFolder(folder);
  const file = databaseIn(folder);
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec('pragma synchronous = off; pragma foreign_keys = off');
  for (const statement of fillStatements(apps)) database.exec(statement);
  return { file, folder, database };
}

async function onFilledPostgres(apps: number): Promise<Reading[]> {
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

/** What reads more than a hundredth of the apps and is on no list, a line each. */
const tooMuch = (readings: readonly Reading[], apps: number): string[] => [
  ...new Set(
    readings
      .filter(({ by, rows }) => rows > apps / 100 && !(by in READS_MUCH))
      .map(({ by, how, rows, sql }) => `${by} reads ${rows} rows: ${how}\n  ${sql}`),
  ),
];

/** Four million rows take their time on a busy machine. */
const MILLIONS = { ...DEEP, timeout: 600_000 };

const SMALL = 5_000;
const LARGE = 100_000;

if (onPostgres()) {
  it('finds rows by an index at 100,000 apps on PostgreSQL', MILLIONS, async () => {
    expect(tooMuch(await onFilledPostgres(LARGE), LARGE)).toEqual([]);
  });
} else {
  it('finds rows by an index in every query of the store on SQLite', async () => {
    const { database, file, folder } = await filledSqlite(SMALL);
    const queries = await exercise(file, folder);
    expect(unexercisedIn(join(folder, 'coverage'))).toEqual([]);
    expect(queries.length).toBeGreaterThan(250);
    expect(tooMuch(explainOnSqlite(database, queries), SMALL)).toEqual([]);
  });

  it('tells a query that reads every version, and queries that nothing exercises', async () => {
    const { database } = await filledSqlite(SMALL);
    database.exec('drop index versions_published');
    database.exec('create index versions_by_state on versions (state, submitted_at)');
    const sql = `select version from versions where app_id = 'app.1002500' and state = 'published'`;
    const [found] = tooMuch(explainOnSqlite(database, [{ by: 'old', sql, parameters: [] }]), SMALL);
    expect(found).toContain('versions_by_state (state=?)');
    expect(unexercisedIn(await folderForTest()).length).toBeGreaterThan(200);
  });

  it('finds rows by an index at 100,000 apps on SQLite', MILLIONS, async () => {
    const { database, file, folder } = await filledSqlite(LARGE);
    expect(tooMuch(explainOnSqlite(database, await exercise(file, folder)), LARGE)).toEqual([]);
  });
}
