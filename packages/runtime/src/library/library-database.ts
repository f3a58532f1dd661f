import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type BundleEntries, readBundle } from '@svc/bundle';
import { openPrivateFolder, openPrivateSqlite } from '@svc/bundle/private-files';
import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { hashOf } from '../platform/json-hash.ts';

/** Hex SHA-256 of a file of a bundle by its path; null when the file does not exist. */
export const hashIn =
  (entries: BundleEntries) =>
  (path: string): string | null => {
    const bytes = entries.get(path);
    return bytes ? hashOf(bytes) : null;
  };

/** Hashes of the files of an installed bundle; null for every file when the bundle is missing or damaged. */
function hashesOf(bundles: string, sha256: string | null): (file: string) => string | null {
  const file = sha256 === null ? null : path.join(bundles, `${sha256}.svc-app`);
  if (file === null || !existsSync(file)) return () => null;
  const reading = readBundle(readFileSync(file));
  return reading.ok ? hashIn(reading.entries) : () => null;
}

/**
 * Upgrades the stored consent of every app to the current form: earlier libraries stored less of it, and kept permissions
 * that an update had dropped.
 * @param bundles the folder with the installed bundles
 */
function upgradeConsents(database: DatabaseSync, bundles: string): void {
  const apps = database.prepare('select app_id, manifest, sha256 from apps').all();
  const write = database.prepare('update apps set consent = ? where app_id = ?');
  for (const { app_id, manifest, sha256 } of apps) {
    const consent = footprintOf(
      JSON.parse(manifest as string) as Manifest,
      hashesOf(bundles, sha256 as string | null),
    );
    write.run(JSON.stringify(consent), app_id as string);
  }
}

const FILE = 'library.sqlite';

/** Maximum wait for another process that writes, in milliseconds. A transaction takes a few. */
const BUSY_TIMEOUT_MS = 10_000;

/** The first version of the schema. */
const SCHEMA = `
  create table settings (name text primary key, value text not null) strict;
  -- JSON list of public keys, the pinned one first, each vouched for by the one before it.
  create table stores (store text primary key, keys text not null) strict;
  create table apps (
    app_id text primary key,
    version text not null,
    version_key text not null,
    store text,
    sha256 text,
    source text not null,
    manifest text not null,
    consent text not null,
    is_on integer not null
  ) strict;
  create index apps_by_sha256 on apps (sha256);
  create table switches (
    app_id text not null references apps on delete cascade,
    project text not null,
    is_on integer not null,
    primary key (app_id, project)
  ) strict, without rowid;
  -- Outlives the app: a version is bound to its bytes for ever.
  create table seen_versions (
    store text not null,
    app_id text not null,
    version_key text not null,
    sha256 text not null,
    primary key (store, app_id, version_key)
  ) strict, without rowid;
  create table revocation_lists (store text primary key, signed_at text not null) strict;
  create table revocations (
    store text not null,
    app_id text not null,
    version_key text not null,
    reason text not null,
    at text not null,
    primary key (store, app_id, version_key)
  ) strict, without rowid;
`;

/** Details of the last accepted list of yanked versions. They are unknown for lists accepted by earlier versions. */
const ACCEPTED_LISTS = `
  alter table revocation_lists add column entries_hash text;
  alter table revocation_lists add column key_id text;
  -- By the clock of this computer, in milliseconds since 1970: when a list with a later time was first accepted.
  alter table revocation_lists add column accepted_at integer;
`;

/** The apps that may have files without a question. A recipient is a hash of app, server and project. */
const FILE_RECIPIENTS = `
  create table file_recipients (
    app_id text not null,
    recipient text not null,
    primary key (app_id, recipient)
  ) strict, without rowid;
`;

/** The last accepted head of each app, and the stores that are known not to sign heads. */
const HEADS = `
  create table heads (
    store text not null,
    app_id text not null,
    latest text not null,
    versions text not null,
    signed_at text not null,
    key_id text not null,
    primary key (store, app_id)
  ) strict, without rowid;
  create table stores_without_heads (store text primary key) strict;
`;

/** Yanked versions of a list that could not be written to the disk, in memory. */
const UNWRITTEN = `
  pragma temp_store = memory;
  create temp table unwritten_revocations (
    store text not null,
    app_id text not null,
    version_key text not null,
    reason text not null,
    at text not null,
    primary key (store, app_id, version_key)
  ) strict, without rowid;
`;

/** When each head came, by the clock of this computer: how old the store's list was then. Unknown for heads of earlier versions. */
const HEAD_TIMES = 'alter table heads add column received_at text';

/** What the user lets a connector do, where it is not the default. */
const CONNECTOR_SETTINGS = `
  create table connector_settings (
    app_id text not null,
    name text not null,
    value integer not null,
    primary key (app_id, name)
  ) strict, without rowid;
`;

/** What the server of each app says of its tools: as accepted, and what waits for the user. It belongs to one bundle, URL or folder. */
const TOOL_PINS = `
  create table tool_pins (app_id text primary key, edition text not null, state text not null) strict;
`;

/** When the store undid the yank of an app that was on before; null once the user switched it, or an update replaced it. */
const RESTORED = 'alter table apps add column restored_at text';

/** The same for each list of a server: resources, prompts and pages too. */
const PINS = `
  create table pins (
    app_id text not null,
    list text not null,
    edition text not null,
    state text not null,
    -- Whether a change waits for the user.
    waits integer not null,
    primary key (app_id, list)
  ) strict;
  insert into pins select app_id, 'tools', edition,
    json_remove(json_set(state, '$.accepted', json_extract(state, '$.tools')), '$.tools'),
    json_extract(state, '$.since') is not null
    from tool_pins;
  drop table tool_pins;
`;

/** For the list of what the user allowed for longer. Unknown for what was allowed before. */
const FILE_RECIPIENT_TIMES = `
  alter table file_recipients add column project text;
  alter table file_recipients add column since text;
  alter table file_recipients add column used_at text;
`;

/** The last accepted checkpoint of the log of each store, and the stores that are known to have no log. */
const LOGS = `
  create table store_logs (
    store text primary key,
    origin text not null,
    size integer not null,
    root text not null,
    note text not null
  ) strict;
  create table stores_without_logs (store text primary key) strict;
`;

/** The segments of the last accepted list of each store that serves its list in parts, by their hash. */
const SEGMENTS = `
  create table revocation_segments (
    store text not null,
    sha256 text not null,
    entries text not null,
    primary key (store, sha256)
  ) strict, without rowid;
`;

/** The proof of each installed app that its version is in the log of its store: with the bundle, it is verified without the store. */
const LOG_PROOFS = `
  create table log_proofs (
    app_id text primary key references apps on delete cascade,
    proof text not null
  ) strict;
`;

/** The migrations from each version of the schema to the next. A released migration is never edited. */
const STEPS: readonly ((database: DatabaseSync, bundles: string) => void)[] = [
  (database) => database.exec(SCHEMA),
  (database) => database.exec(ACCEPTED_LISTS),
  upgradeConsents,
  (database) => database.exec(FILE_RECIPIENTS),
  (database) => database.exec(HEADS),
  (database) => database.exec(CONNECTOR_SETTINGS),
  (database) => database.exec(TOOL_PINS),
  (database) => database.exec(HEAD_TIMES),
  (database) => database.exec(RESTORED),
  (database) => database.exec(PINS),
  (database) => database.exec(FILE_RECIPIENT_TIMES),
  (database) => database.exec(LOGS),
  (database) => database.exec(SEGMENTS),
  (database) => database.exec(LOG_PROOFS),
];

/** Runs work in one write transaction; no other process can write in between. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    // A failed commit, such as on a full disk, may already have ended the transaction.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/**
 * Runs work in a transaction that is not synced: for data whose loss is acceptable. It reaches the disk with the next
 * durable transaction, or a little later.
 */
export function inUnsyncedTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('pragma synchronous = normal');
  try {
    return inTransaction(database, work);
  } finally {
    database.exec('pragma synchronous = full');
  }
}

/** The version of the schema that this runtime writes. */
export const LIBRARY_VERSION = STEPS.length;

/** @throws for a version that a later runtime wrote: its content could be misread, and is not changed */
export function requireKnownVersion(version: number): void {
  if (version > LIBRARY_VERSION) throw new Error('A later version of the runtime wrote this library.');
}

function migrate(database: DatabaseSync, bundles: string): void {
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
  requireKnownVersion(version);
  migrateTables(database, { from: version, to: LIBRARY_VERSION }, bundles);
  database.exec(`pragma user_version = ${LIBRARY_VERSION}`);
}

/** Runs the migrations between two versions of the schema; 0 is an empty database. */
export function migrateTables(
  database: DatabaseSync,
  { from, to }: { from: number; to: number },
  bundles: string,
): void {
  for (const step of STEPS.slice(from, to)) step(database, bundles);
}

/** Creates the tables of a process alone. */
export const createOwnTables = (database: DatabaseSync): void => database.exec(UNWRITTEN);

/**
 * Opens the database of installed apps, or creates it. A commit returns when it is durable. Only one process at a time may
 * call this: SQLite does not wait for other processes when it switches to write-ahead logging.
 * @param folder the folder that the client gave the runtime
 * @param bundles the folder with the installed bundles
 * @throws when it cannot be opened, is not a database, or was written by a later runtime
 */
export function openLibraryDatabase(folder: string, bundles: string): DatabaseSync {
  openPrivateFolder(folder);
  const database = openPrivateSqlite(path.join(folder, FILE), { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    inTransaction(database, () => migrate(database, bundles));
    createOwnTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
