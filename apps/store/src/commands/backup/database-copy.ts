import { closeSync, existsSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { migrate } from '../../adapters/database/migrations.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import type { Database } from '../../platform/database/schema.ts';
import { CorruptBackupError } from './plain-file.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** SQLite's "database is locked" (result code 5). */
const SQLITE_BUSY = 5;

/**
 * All pages in one step, from one snapshot. In several steps SQLite begins again whenever another connection has written in between,
 * and would never end beside a busy store. In WAL mode no writer waits for this.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Makes a file that the owner alone may read, unless it is there: SQLite would let everybody. */
const makePrivate = (file: string): void => closeSync(openSync(file, 'a', 0o600));

/**
 * Copies a database that a store may be writing to.
 * @param to a name that nothing has yet
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw new CorruptBackupError(`${from} is missing: there is no store.`);
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    makePrivate(to);
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

async function requireSound(db: Database, file: string): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  if (rows[0]?.integrity_check !== 'ok') throw new CorruptBackupError(`${file} is damaged.`);
}

/**
 * Looks through a database that nobody else has open, and brings its tables up to date.
 * @returns the hashes of all blobs that it refers to
 * @throws CorruptBackupError when it is damaged; an Error when it is that of a newer program
 */
export async function blobsSpokenOf(file: string): Promise<string[]> {
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

/** Whether a process has a database open: only who is alone with one can have it for itself. Nothing is changed. */
export function isInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
    return false;
  } catch (error) {
    // One that is damaged is what a restore is for.
    return (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
  } finally {
    database.close();
  }
}

/**
 * Claims a folder for this process, until it ends or releases it.
 * @param file made when it is not there; it stays empty
 * @returns releases it
 * @throws Error when another process has it
 */
export function claim(file: string): () => void {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error;
    throw new Error('another backup into the same folder is under way.');
  }
  return () => database.close();
}
