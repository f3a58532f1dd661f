import type { DatabaseSync } from 'node:sqlite';
import { openPrivateSqlite } from '@svc/bundle/private-files';

/** Maximum wait for another process that writes, in milliseconds. */
const WAIT_MS = 5_000;

/**
 * Opens a database that only its owner can read. Several processes may open it. Writes reach the operating system
 * immediately and survive the end of this process; a power failure may lose the most recent ones.
 * @param file in an existing folder; the file is created if needed
 * @throws the errors of SQLite, also for a file that is not a database
 */
export function openPrivateDatabase(file: string): DatabaseSync {
  const database = openPrivateSqlite(file, { timeout: WAIT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
