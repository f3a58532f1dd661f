import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder, openPrivateSqlite } from '@svc/bundle/private-files';
import type { System } from './system.ts';

/** Interval of retries of a waiting process, in milliseconds: random within these bounds, so that two processes do not stay in step. */
const WAIT_MS = { minMs: 10, jitterMs: 30 };

/** SQLite's error code when another process holds the lock. */
const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;

/** Tries to take the lock; null while another process or call holds it. */
export function tryLock(file: string): DatabaseSync | null {
  const database = openPrivateSqlite(file, { timeout: 0 });
  try {
    // Without a journal on the disk: a lock works on a full one too.
    database.exec('pragma journal_mode = memory; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/**
 * Runs work while holding a lock against other processes and other calls in this one. The lock is a lock of the operating
 * system on an empty SQLite file, which is released however its holder ends; a lock file would remain after a crash.
 * @param file the lock's file; its folder is created if needed
 * @throws the errors of the work; the signal's reason when it is aborted while waiting
 */
export async function withLock<T>(
  system: Pick<System, 'sleep' | 'randomBytes'>,
  file: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  makePrivateFolder(dirname(file));
  let held = tryLock(file);
  while (!held) {
    const [chance = 0] = system.randomBytes(1);
    await system.sleep(WAIT_MS.minMs + (WAIT_MS.jitterMs * chance) / 255, signal);
    held = tryLock(file);
  }
  try {
    return await work();
  } finally {
    held.close();
  }
}
