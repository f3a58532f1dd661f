import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { upgradeConsents } from './upgrade-consents.ts';

const FILE = 'library.sqlite';

/** How long a process waits for another one that writes, in milliseconds. Each transaction here takes a few. */
const BUSY_TIMEOUT_MS = 10_000;

/** The first version of the tables. */
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

/** What the last list of withdrawn versions was, beside its time. It is unknown of lists that were accepted earlier. */
const ACCEPTED_LISTS = `
  alter table revocation_lists add column entries_hash text;
  alter table revocation_lists add column key_id text;
  -- By the clock of this computer, in milliseconds since 1970: when a list with a later time was first accepted.
  alter table revocation_lists add column accepted_at integer;
`;

/** What brings the tables from each version to the next. A landed step is never edited. */
const STEPS: readonly ((database: DatabaseSync, bundles: string) => void)[] = [
  (database) => database.exec(SCHEMA),
  (database) => database.exec(ACCEPTED_LISTS),
  upgradeConsents,
];

/** Does something in one transaction that no other writer of any process comes in between. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    // A failed commit, as on a full disk, may have ended the transaction itself.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/**
 * The same for what is only seen and not yet promised to anybody: it is written at once and reaches the disk with the next
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

function migrate(database: DatabaseSync, bundles: string): void {
  const { user_version: found } = database.prepare('pragma user_version').get() as { user_version: number };
  // It is left alone: what it says could be misread.
  if (found > STEPS.length) throw new Error('A later version of the runtime wrote this library.');
  for (const step of STEPS.slice(found)) step(database, bundles);
  database.exec(`pragma user_version = ${STEPS.length}`);
}

/**
 * Opens the database of what is installed, and makes it when it is not there. A commit returns when it is on the disk. One
 * process at a time may call it: to turn to write-ahead logging SQLite does not wait for others who do the same.
 * @param folder the folder that the client gave the runtime
 * @param bundles the folder with the installed bundles
 * @throws when it cannot be opened, is no database, or was written by a later runtime
 */
export function openLibraryDatabase(folder: string, bundles: string): DatabaseSync {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path.join(folder, FILE), { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    inTransaction(database, () => migrate(database, bundles));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
