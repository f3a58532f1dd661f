import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder, openPrivateSqlite } from '@svc/bundle/private-files';
import type { System } from './system.ts';

/** Interval of retries of a waiting process, in milliseconds: random within these bounds, so that two processes do not stay in step. */
const WAIT_MS = { minMs: 10, jitterMs: 30 };

/** SQLite's error code when another process holds the lock. */
const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;

/** The locks that this process holds. An object that is collected closes its file, and would release the lock. */
const held = new Set<DatabaseSync>();

/**
 * Tries to take a lock. It is held until it is closed, or until the process ends.
 * @param file the lock's file, in an existing folder
 * @returns null while another process or call holds it
 */
export function tryLock(file: string): { close(): void } | null {
  const database = openPrivateSqlite(file, { timeout: 0 });
  try {
    // Without a journal on the disk: a lock works on a full one too.
    database.exec('pragma journal_mode = memory; begin exclusive');
    held.add(database);
    return {
      close() {
        held.delete(database);
        database.close();
      },
    };
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
  let lock = tryLock(file);
  while (!lock) {
    const [chance = 0] = system.randomBytes(1);
    await system.sleep(WAIT_MS.minMs + (WAIT_MS.jitterMs * chance) / 255, signal);
    lock = tryLock(file);
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/** Runs work while no other call or process runs work under the same name. It is released however its holder ends. */
export type Alone = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Locks in a folder of the runtime. A name is one of a file. */
export const locksIn =
  (folder: string, system: Pick<System, 'sleep' | 'randomBytes'>): Alone =>
  (name, work) =>
    withLock(system, join(folder, 'locks', name), work);
