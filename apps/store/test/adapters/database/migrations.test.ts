import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DEEP, sampleManifest } from '@svc/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../src/adapters/database/migrations.ts';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { openPostgres } from '../../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import {
  compareRows,
  copyRows,
  inPostgres,
  openForReading,
  sqliteRows,
  tablesOf,
} from '../../../src/composition/commands/migrate/rows.ts';
import type { Database } from '../../../src/platform/database/schema.ts';
import { emptyDatabase, onPostgres } from '../../support/database.ts';

const SOURCES = join(import.meta.dirname, '../../../src/adapters');
const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function place(): Promise<string> {
  if (onPostgres()) return emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'store.sqlite');
}

async function open(at: string) {
  const db = onPostgres() ? await openPostgres(at, silent) : openSqlite(at);
  onTestFinished(() => db.destroy());
  return db;
}

/** The data folder of a store of version 0.1.0 with users, a review, and versions in each state: `tools/fill-release.ts` makes it. */
const RELEASE = join(import.meta.dirname, '../../../../../test/support/release-0.1.0.tar.gz');

/** The last schema of version 0.1.0. */
const RELEASED_SCHEMA = '0016-plans';

/** A process that opens the database and runs the migrations once `go` is called. */
function migrator(at: string) {
  const program = `
    import { migrate } from '${SOURCES}/database/migrations.ts';
    import { openPostgres } from '${SOURCES}/postgres/open-postgres.ts';
    import { openSqlite } from '${SOURCES}/sqlite/open-sqlite.ts';
    const at = process.argv[1];
    process.stdout.write('ready');
    await new Promise((go) => process.stdin.once('data', go));
    const db = at.startsWith('postgres:') ? await openPostgres(at, console) : openSqlite(at);
    await migrate(db);
    await db.destroy();
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, at]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'exit').then(([code]) => ({ code, said }));
  return { ready: once(child.stdout, 'data'), go: () => child.stdin.write('go'), ended };
}

it('can be run by several processes at once on an empty database', async () => {
  const at = await place();
  const processes = Array.from({ length: 4 }, () => migrator(at));
  await Promise.all(processes.map(({ ready }) => ready));
  for (const { go } of processes) go();
  const ends = await Promise.all(processes.map(({ ended }) => ended));
  expect(ends).toEqual(Array(4).fill({ code: 0, said: '' }));
  const db = await open(at);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  expect(rows[0]).toEqual({ name: '0001-foundation' });
  expect(await createStores(db).publishers.find('nobody')).toBeNull();
});

it('rolls back a migration that fails, so that it can be retried', async () => {
  const db = await open(await place());
  // The first migration fails at this table, after it has created others.
  await sql`create table listings (in_the_way integer)`.execute(db);
  await expect(migrate(db)).rejects.toThrow(/listings/);
  await sql`drop table listings`.execute(db);
  await migrate(db);
  expect(await createStores(db).publishers.find('nobody')).toBeNull();
});

it('sets the name and the queue position of existing versions', DEEP, async () => {
  const db = await open(await place());
  await migrate(db, '0003-upload-marks');
  const at = '2026-03-01T12:00:00.000Z';
  await sql`insert into publishers (slug, name, created_at) values ('example', 'Example', ${at})`.execute(db);
  await sql`insert into apps (app_id, publisher, created_at) values ('com.example.a', 'example', ${at})`.execute(
    db,
  );
  // 1.10.0 is the newest, although it sorts first as text. PostgreSQL cannot store U+0000.
  for (const [version, name] of [
    ['1.9.0', 'Notes'],
    ['1.10.0', 'Notes \0 "two"'],
    ['1.10.0-rc.1', ''],
  ]) {
    await sql`insert into versions (app_id, version, publisher, state, sha256, size, manifest_json, readme, changelog,
      files_json, issues_json, submitted_at, submitted_by) values ('com.example.a', ${version}, 'example', 'in_review', '',
      1, ${JSON.stringify({ name })}, '', '', '[]', '[]', ${at}, 'somebody')`.execute(db);
  }
  await migrate(db);
  const anything = {
    reason: null,
    soleReason: null,
    publisher: null,
    appId: null,
    superseded: null,
    changesRequested: null,
    submitted: null,
    lock: null,
    assigned: null,
  };
  const { entries } = await createStores(db).reviews.page(anything, 10, null);
  expect(entries.map(({ version, name, superseded }) => [version, name, superseded])).toEqual([
    ['1.10.0', 'Notes \uFFFD "two"', false],
    ['1.10.0-rc.1', '', true],
    ['1.9.0', 'Notes', true],
  ]);
});

it('adds the list of changes to existing permission diffs', DEEP, async () => {
  const db = await open(await place());
  await migrate(db, '0010-ratings');
  const at = '2026-03-01T12:00:00.000Z';
  await sql`insert into publishers (slug, name, created_at) values ('example', 'Example', ${at})`.execute(db);
  await sql`insert into apps (app_id, publisher, created_at) values ('com.example.notes', 'example', ${at})`.execute(
    db,
  );
  const add = (version: string, name: string, diff: object | null) =>
    sql`insert into versions (app_id, version, publisher, state, sha256, size, manifest_json, readme, changelog,
      files_json, issues_json, submitted_at, submitted_by, permission_diff_json) values ('com.example.notes', ${version},
      'example', 'in_review', '', 1, ${JSON.stringify(sampleManifest({ version, name }))}, '', '', '[]', '[]', ${at},
      'publisher', ${diff && JSON.stringify(diff)})`.execute(db);
  await add('1.0.0', 'Notes', { baseVersion: null, widens: true });
  await add('1.1.0', 'Letters', { baseVersion: '1.0.0', widens: false });
  await add('1.2.0', 'Letters', null);
  // Its base does not exist: all its permissions are new.
  await add('1.3.0', 'Letters', { baseVersion: '0.9.0', widens: false });
  await migrate(db);
  const stores = createStores(db);
  const diffOf = async (version: string) =>
    (await stores.versions.find({ appId: 'com.example.notes', version }))?.permissionDiff;
  expect(await diffOf('1.0.0')).toMatchObject({
    baseVersion: null,
    grantsAdded: ['files:receive'],
    widens: true,
  });
  expect(await diffOf('1.1.0')).toMatchObject({
    baseVersion: '1.0.0',
    widens: false,
    changes: [{ path: '/name', kind: 'face', before: 'Notes', after: 'Letters', widens: false }],
  });
  expect(await diffOf('1.2.0')).toBeNull();
  expect(await diffOf('1.3.0')).toMatchObject({ baseVersion: null, widens: true });
});

it('marks existing versions as retracted if the publisher withdrew them, and not if a moderator rejected them', async () => {
  const db = await open(await place());
  await migrate(db, '0010-ratings');
  const at = '2026-03-01T12:00:00.000Z';
  await sql`insert into publishers (slug, name, created_at) values ('example', 'Example', ${at})`.execute(db);
  await sql`insert into apps (app_id, publisher, created_at) values ('com.example.a', 'example', ${at})`.execute(
    db,
  );
  for (const version of ['1.0.0', '1.1.0']) {
    await sql`insert into versions (app_id, version, publisher, state, sha256, size, manifest_json, readme, changelog,
      files_json, issues_json, notes, submitted_at, submitted_by) values ('com.example.a', ${version}, 'example', 'rejected',
      '', 1, '{}', '', '', '[]', '[]', 'withdrawn', ${at}, 'somebody')`.execute(db);
  }
  await sql`insert into audit_log (at, actor, action, app_id, version, detail_json)
    values (${at}, 'somebody', 'version.withdraw', 'com.example.a', '1.0.0', '{}')`.execute(db);
  await migrate(db);
  const { versions } = createStores(db);
  const retracted = async (version: string) =>
    (await versions.find({ appId: 'com.example.a', version }))?.retracted;
  expect([await retracted('1.0.0'), await retracted('1.1.0')]).toEqual([true, false]);
});

it('counts the bundles and the pictures of existing versions', async () => {
  const db = await open(await place());
  await migrate(db, '0054-upstream-leaders');
  const at = '2026-03-01T12:00:00.000Z';
  await sql`insert into publishers (slug, name, created_at, look, proof, verified)
    values ('example', 'Example', ${at}, 'example', 'p', 0)`.execute(db);
  await sql`insert into apps (app_id, publisher, created_at) values ('com.example.a', 'example', ${at})`.execute(
    db,
  );
  const add = (version: string, files: object[]) =>
    sql`insert into versions (app_id, version, publisher, state, sha256, size, manifest_json, readme, changelog, files_json,
      issues_json, submitted_at, submitted_by) values ('com.example.a', ${version}, 'example', 'rejected', '', 100, '{}',
      '', '', ${JSON.stringify(files)}, '[]', ${at}, 'publisher:example')`.execute(db);
  await add('1.0.0', []);
  await add('1.1.0', [{ path: 'icon.png', size: 20 }, { path: 'a.png', size: 3 }, { path: 'b.png' }]);
  await migrate(db);
  const { publishers } = createStores(db);
  const bytes = async () => (await publishers.storedOf(['example'])).get('example')?.bytes;
  expect(await bytes()).toBe(223);
  // A process of the version before still runs, and does not know the column.
  await add('1.2.0', [{ path: 'icon.png', size: 20 }]);
  expect(await bytes()).toBe(323);
});

it(
  'keeps existing publisher names that look alike, and gives their name key to the older publisher',
  DEEP,
  async () => {
    const db = await open(await place());
    await migrate(db, '0010-ratings');
    const add = (slug: string, name: string, day: number, website: string | null = null) =>
      sql`insert into publishers (slug, name, website, verified, verified_by, created_at, look, proof)
      values (${slug}, ${name}, ${website}, ${website === null ? 0 : 1}, ${website === null ? null : 'website'},
        ${`2026-03-0${day}T12:00:00.000Z`}, ${slug}, ${slug})`.execute(db);
    await add('younger', 'А c m e', 2);
    await add('older', 'Acme', 1, 'https://acme.example/about');
    await add('other', 'Other', 3);
    await migrate(db);
    const { publishers, names } = createStores(db);
    expect(await publishers.find('older')).toMatchObject({ name: 'Acme', verifiedHost: 'acme.example' });
    expect(await publishers.find('younger')).toMatchObject({ name: 'А c m e' });
    expect(await publishers.find('other')).not.toHaveProperty('verifiedHost');
    const { rows } = await sql`select name_key, publisher from name_keys order by name_key`.execute(db);
    expect(rows).toEqual([
      { name_key: 'acrne', publisher: 'older' },
      { name_key: 'other', publisher: 'other' },
    ]);
    expect(await names.claim('younger', ['acrne'])).toBe(false);
    expect(await names.claim('older', ['acrne'])).toBe(true);
  },
);

it('refuses a database that a newer version of the store has migrated', async () => {
  const at = await place();
  const db = await open(at);
  await migrate(db);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', ${new Date().toISOString()})`.execute(
    db,
  );
  await expect(migrate(db)).rejects.toThrow(
    /A newer version of the store has changed this database \(9999-later\)\. Use that version/,
  );
});

/** The data of version 0.1.0 in a folder. */
async function releaseData(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-release-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', RELEASE, '-C', folder]);
  return join(folder, 'store.sqlite');
}

/** Opens a database of SQLite file by file, and closes it. */
async function migrated(file: string, last?: string): Promise<DatabaseSync> {
  const db = openSqlite(file);
  await migrate(db, last);
  await db.destroy();
  const reader = openForReading(file);
  onTestFinished(() => reader.close());
  return reader;
}

const SCHEMA =
  "select type, name, tbl_name, sql from sqlite_master where name not like 'sqlite_%' order by name";

it('still has the schema of version 0.1.0: no migration that it released was edited', async () => {
  const file = await releaseData();
  const released = openForReading(file);
  onTestFinished(() => released.close());
  const again = await migrated(`${file}.again`, RELEASED_SCHEMA);
  expect(again.prepare(SCHEMA).all()).toEqual(released.prepare(SCHEMA).all());
});

it('brings the data of version 0.1.0 to the newest schema, the same on both databases', async () => {
  const file = await releaseData();
  const released = openForReading(file);
  onTestFinished(() => released.close());
  const newest = `${file}.newest`;
  await copyFile(file, newest);
  const upgraded = await migrated(newest);
  const rows = (query: string) =>
    upgraded
      .prepare(query)
      .all()
      .map((row) => Object.values(row).join(' '));
  expect(rows('select app_id, version, state from versions order by app_id, version')).toEqual([
    'com.example.notes 1.0.0 published',
    'com.example.notes 1.1.0 published',
    'com.example.other 1.0.0 yanked',
    'com.example.refused 1.0.0 rejected',
    'com.example.waits 1.0.0 in_review',
  ]);
  expect(rows('select name from people order by name')).toEqual(['Anna Ash', 'Bob Beech']);
  expect(rows('select stars, title from ratings')).toEqual(['4 Good for notes']);
  const fresh = await migrated(`${file}.fresh`);
  expect(upgraded.prepare(SCHEMA).all()).toEqual(fresh.prepare(SCHEMA).all());
  if (!onPostgres()) return;
  const there = await open(await place());
  await migrate(there, RELEASED_SCHEMA);
  await inPostgres(there as unknown as Database, (rows) =>
    copyRows(tablesOf(released), sqliteRows(released), rows),
  );
  await migrate(there);
  const compared = inPostgres(there as unknown as Database, (rows) =>
    compareRows(tablesOf(upgraded), sqliteRows(upgraded), rows),
  );
  expect(await compared).toMatchObject({ different: [] });
});
