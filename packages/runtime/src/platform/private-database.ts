import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Longest wait for another process that writes, in milliseconds. */
const WAIT_MS = 5_000;

/**
 * Opens a database for its owner's eyes only, which several processes may have open. What is written to it is in the hands of the
 * operating system at once, and outlives this process; a power cut may take the last of it.
 * @param file in a folder that is there; it is made when it is not
 * @throws what SQLite throws, also for a file that is no database
 */
export function openPrivateDatabase(file: string): DatabaseSync {
  // Made before SQLite would make it for everybody to read.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
