import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SCHEMA = `
  create table if not exists secrets (name text primary key, value text not null) strict;
  create table if not exists records (
    model text not null,
    key text not null,
    payload text not null,
    grant_id text,
    client_id text,
    uid text,
    made_at integer not null,
    expires_at integer,
    primary key (model, key)
  ) strict;
  create index if not exists records_by_grant on records (grant_id) where grant_id is not null;
  create index if not exists records_by_end on records (expires_at) where expires_at is not null;
  create table if not exists pins (
    seq integer primary key autoincrement,
    id text not null unique,
    person text not null,
    text text not null,
    picture blob,
    width integer,
    height integer,
    pinned_at text not null
  ) strict;
  create index if not exists pins_of_person on pins (person, seq desc);
`;

/**
 * Opens the database file, and creates it if it does not exist.
 * @param folder null keeps everything in memory
 */
export function openDatabase(folder: string | null): DatabaseSync {
  if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = folder === null ? ':memory:' : join(folder, 'pinboard.sqlite');
  const database = new DatabaseSync(file);
  // It contains the keys that sign sessions.
  if (folder !== null) chmodSync(file, 0o600);
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000;');
  database.exec(SCHEMA);
  return database;
}

/** A secret of this server, created at the first use and the same after every restart. */
export function secretOf(database: DatabaseSync, name: string, make = () => randomBytes(32).toString('hex')) {
  database.prepare('insert or ignore into secrets (name, value) values (?, ?)').run(name, make());
  const row = database.prepare('select value from secrets where name = ?').get(name);
  return String(row?.value);
}
