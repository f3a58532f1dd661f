import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import { migrate } from '../../src/adapters/database/migrations.ts';
import { databaseIn } from '../../src/adapters/disk/data-folder.ts';
import { openPostgres } from '../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import type { Database } from '../../src/platform/database/schema.ts';
import { runIn } from './run-in.ts';

/** The name, to PostgreSQL, of the connections with which tests empty databases. */
export const EMPTIER = 'svc-tests';

/** A database, and a connection to empty it with after each test: opening one takes longer than that. */
type Emptied = { url: string; client: pg.Client; isLost: boolean };

/** The databases of open stores, by their data folder; and the empty ones, for the next test. */
const taken = new Map<string, string>();
const spare: Emptied[] = [];

/** Whether this run is on PostgreSQL; otherwise it is on SQLite. */
export const onPostgres = (): boolean => inject('postgres') !== undefined;

function server(): { url: string; template: string } {
  const provided = inject('postgres');
  if (!provided || 'missing' in provided) throw new Error('There is no PostgreSQL in this run.');
  return provided;
}

/** Creates a database that is removed at the end of the run. */
async function makeDatabase(template: string): Promise<string> {
  const { url } = server();
  const name = `svc_${randomUUID().replaceAll('-', '')}`;
  await runIn(`${url}postgres`, `create database ${name} template ${template}`);
  return url + name;
}

/** A database without tables. */
export const emptyDatabase = (): Promise<string> => makeDatabase('template0');

/** Deletes all rows of all tables: a hundred times faster than creating a database. */
const EMPTY = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
    loop execute format('delete from %I', name); end loop;
end $$`;

let template: Promise<Buffer> | undefined;

/** An empty, migrated SQLite file: a copy costs a hundredth of the migrations. */
async function makeTemplate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-template-'));
  const file = databaseIn(folder);
  const db = openSqlite(file);
  await migrate(db);
  // The last connection that closes moves the log into the file.
  await db.destroy();
  const bytes = await readFile(file);
  await rm(folder, { recursive: true });
  return bytes;
}

/** Copies an empty, migrated database into a new data folder; on PostgreSQL `databaseOf` creates it. */
export async function fillFolder(folder: string): Promise<void> {
  if (onPostgres()) return;
  template ??= makeTemplate();
  await writeFile(databaseIn(folder), await template);
}

async function makeEmptied(): Promise<Emptied> {
  const url = await makeDatabase(server().template);
  const client = new pg.Client({ connectionString: url, application_name: EMPTIER });
  const database = { url, client, isLost: false };
  // A test may cut all connections, and the server ends before this process does.
  client.on('error', () => {
    database.isLost = true;
  });
  await client.connect();
  return database;
}

/** An empty, migrated PostgreSQL database, for this test. */
export async function freshDatabase(): Promise<string> {
  const database = spare.pop() ?? (await makeEmptied());
  onTestFinished(async () => {
    // The next test makes another one instead.
    if (database.isLost) return;
    await database.client.query(EMPTY);
    spare.push(database);
  });
  return database.url;
}

/** The database settings of a store: the database of its data folder, or a new one. */
export async function databaseOf(folder: string): Promise<{ DATABASE_URL?: string }> {
  if (!onPostgres()) return {};
  const url = taken.get(folder) ?? (await freshDatabase());
  taken.set(folder, url);
  return { DATABASE_URL: url };
}

/** An empty, migrated database, for tests without a store. */
export async function openDatabase(): Promise<Database> {
  if (onPostgres()) {
    const db = await openPostgres(await freshDatabase(), { info() {}, warn() {}, error() {} });
    onTestFinished(() => db.destroy());
    return db;
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-database-'));
  await fillFolder(folder);
  const db = openSqlite(databaseIn(folder));
  onTestFinished(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  return db;
}

/** Runs a statement in the database of a data folder directly; its store must be closed. */
export async function tamper(folder: string, statement: string): Promise<void> {
  const url = taken.get(folder);
  if (url) return runIn(url, statement);
  const database = new DatabaseSync(join(folder, 'store.sqlite'));
  try {
    database.exec(statement);
  } finally {
    database.close();
  }
}

/** What makes ids of a promoted replica go on after those that were lost: a primary logs its sequences in advance. */
const SKIP_IDS = `select setval(pg_get_serial_sequence('audit_log', 'id'), (select max(id) from audit_log) + 32)`;

/** Ends all connections to a PostgreSQL database, and admits none until it returns. */
async function alone(url: string, work: (name: string) => readonly string[]): Promise<void> {
  const { pathname } = new URL(url);
  const name = pathname.slice(1);
  const all = `${server().url}postgres`;
  await runIn(all, `alter database ${name} allow_connections false`);
  await runIn(all, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await expect
    .poll(async () => {
      const client = new pg.Client(all);
      await client.connect();
      const { rowCount } = await client.query('select 1 from pg_stat_activity where datname = $1', [name]);
      await client.end();
      return rowCount;
    })
    .toBe(0);
  for (const statement of work(name)) await runIn(all, statement);
  await runIn(all, `alter database ${name} allow_connections true`);
}

/**
 * Copies the database of a running store.
 * @returns puts the copy into its place, as a failover to a lagging replica, or the restore of a snapshot does
 */
export async function copyOfDatabase(folder: string): Promise<() => Promise<void>> {
  const url = taken.get(folder);
  if (url) {
    const copy = `svc_${randomUUID().replaceAll('-', '')}`;
    await alone(url, (name) => [`create database ${copy} template ${name}`]);
    await runIn(server().url + copy, SKIP_IDS);
    return () =>
      alone(url, (name) => [
        `alter database ${name} rename to ${copy}_newer`,
        `alter database ${copy} rename to ${name}`,
      ]);
  }
  const [live, copy] = [databaseIn(folder), join(folder, `copy-${randomUUID()}.sqlite`)];
  const move = async (from: string, to: string) => {
    const source = new DatabaseSync(from);
    await backup(source, to).finally(() => source.close());
  };
  await move(live, copy);
  return () => move(copy, live);
}

/** All contents of the database of a data folder, as text to search. */
export async function contentsOf(folder: string): Promise<string> {
  const url = taken.get(folder);
  if (url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select database_to_xml(true, false, '')::text as xml");
    await client.end();
    return rows[0].xml;
  }
  const names = (await readdir(folder)).filter((name) => name.startsWith('store.sqlite'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return files.join('\n');
}

/** The rows of the database of a data folder, as text to search: what a dump of it has, without pages that are free by now. */
export async function dumpOf(folder: string): Promise<string> {
  if (taken.has(folder)) return contentsOf(folder);
  const database = new DatabaseSync(join(folder, 'store.sqlite'), { readOnly: true });
  try {
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
    return JSON.stringify(tables.map(({ name }) => database.prepare(`select * from "${name}"`).all()));
  } finally {
    database.close();
  }
}
