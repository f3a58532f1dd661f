import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { keepPrivate, openPrivateSqlite } from '@svc/bundle/private-files';
import { sql } from 'kysely';
import { migrate } from '../../../adapters/database/migrations.ts';
import { databaseIn } from '../../../adapters/disk/data-folder.ts';
import { openSqlite } from '../../../adapters/sqlite/open-sqlite.ts';
import type { Database } from '../../../platform/database/schema.ts';
import type { Log } from '../../../platform/system.ts';
import type { Settings } from '../../settings.ts';
import { copyFromPostgres, requireOwnTables } from '../migrate/from-postgres.ts';
import { CorruptBackupError } from './plain-file.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** SQLite's "database is locked" (result code 5). */
const SQLITE_BUSY = 5;

/**
 * All pages in one step, from one snapshot. In several steps SQLite restarts the copy whenever another connection has written in
 * between, and would never finish on a busy store. In WAL mode no writer waits for this.
 */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database that a store may be writing to.
 * @param to a path that does not exist yet
 */
async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw new CorruptBackupError(`${from} is missing: there is no store.`);
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    keepPrivate(to);
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

/** Copies the rows of a store on PostgreSQL that may be running, in one snapshot, to a new SQLite file, and compares them. */
async function copyPostgres(url: string, to: string, log: Log): Promise<void> {
  const { openPostgres } = await import('../../../adapters/postgres/open-postgres.ts');
  const source = await openPostgres(url, log);
  try {
    await requireOwnTables(source);
    const empty = openSqlite(to);
    await migrate(empty).finally(() => empty.destroy());
    await copyFromPostgres(source, to);
  } finally {
    await source.destroy();
  }
}

/**
 * Copies the database of a store, whichever it is on, as one SQLite file.
 * @param to a path that does not exist yet
 */
export const copyStore = (
  { databaseUrl, dataDir, log }: Pick<Settings, 'databaseUrl' | 'dataDir'> & { log: Log },
  to: string,
): Promise<void> =>
  databaseUrl === null ? copyDatabase(databaseIn(dataDir), to) : copyPostgres(databaseUrl, to, log);

async function requireSound(db: Database, file: string): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  if (rows[0]?.integrity_check !== 'ok') throw new CorruptBackupError(`${file} is damaged.`);
}

/**
 * Checks a database that no other process has open, and brings its tables up to date.
 * @returns the hashes of all blobs that it refers to
 * @throws CorruptBackupError when it is damaged; an Error when a newer version of the program wrote it
 */
export async function referencedBlobs(file: string): Promise<string[]> {
  const db = openSqlite(file);
  try {
    await requireSound(db, file);
    await migrate(db);
    const rows = await db.selectFrom('used_blobs').select('sha256').orderBy('sha256').execute();
    return rows.map(({ sha256 }) => sha256);
  } finally {
    await db.destroy();
  }
}

/** Whether a process has a database open: only a single connection can lock one exclusively. Nothing is changed. */
export function isInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openPrivateSqlite(file, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
    return false;
  } catch (error) {
    // A damaged database is not in use, and a restore replaces it.
    return (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
  } finally {
    database.close();
  }
}

/**
 * Locks a folder for this process, until it ends or releases the lock.
 * @param file the lock file, which is created when it does not exist; it stays empty
 * @returns releases the lock
 * @throws Error when another process has the lock
 */
export function claim(file: string): () => void {
  const database = openPrivateSqlite(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error;
    throw new Error('another backup into the same folder is in progress.');
  }
  return () => database.close();
}
