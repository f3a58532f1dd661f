import {
  closeSync,
  constants,
  existsSync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  write as writeTo,
} from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { hashOf } from '../platform/json-hash.ts';
import { withLock } from '../platform/process-lock.ts';
import type { System } from '../platform/system.ts';
import { syncFolder } from '../platform/write-durable.ts';
import { isInUse } from './app-table.ts';
import { inTransaction, inUnsyncedTransaction, openLibraryDatabase } from './library-database.ts';

const BUNDLE = /^([0-9a-f]{64})\.svc-app$/;

/** Extension of files that are still being written. */
const PART = '.part';

// Operations of microseconds are synchronous: on a busy computer each step in another thread waits for a processor.
// Writing bytes and syncing to the disk are asynchronous.

const { O_CREAT, O_EXCL, O_SYNC, O_WRONLY } = constants;

/** Each write is synced: a separate flush would first return to this thread, which is busy verifying. */
const NEW_AND_SYNCED = O_CREAT | O_EXCL | O_SYNC | O_WRONLY;

const flush = promisify(fsync);
const writeSome = promisify(writeTo);

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const descriptor = openSync(file, NEW_AND_SYNCED, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeSome(descriptor, bytes, at)).bytesWritten;
    // On other systems a synced write may only reach the cache of the disk (macOS), or is not supported.
    if (process.platform !== 'linux') await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens the stored bundles in a folder. The hash is verified on each read, so that a file that was damaged or modified is never
 * used.
 */
export function openBundleFolder(system: Pick<System, 'randomBytes'>, folder: string) {
  const fileOf = (sha256: string) => path.join(folder, `${sha256}.svc-app`);

  async function read(sha256: string): Promise<Uint8Array | null> {
    const bytes = await readFile(fileOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes && hashOf(bytes) === sha256 ? bytes : null;
  }

  async function keep(bytes: Uint8Array, sha256: string): Promise<void> {
    makePrivateFolder(folder);
    const part = path.join(folder, `${Buffer.from(system.randomBytes(16)).toString('hex')}${PART}`);
    try {
      await writeDurably(part, bytes);
      renameSync(part, fileOf(sha256));
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  async function namesBefore(time: number): Promise<string[]> {
    const names = await readdir(folder).catch(() => []);
    const matches = names.map(async (name) => {
      // Another process may be removing the file.
      const stats = await stat(path.join(folder, name)).catch(() => null);
      return stats && stats.mtimeMs < time ? [name] : [];
    });
    return (await Promise.all(matches)).flat();
  }

  async function removePartsBefore(time: number): Promise<void> {
    for (const name of await namesBefore(time)) {
      if (name.endsWith(PART)) await rm(path.join(folder, name), { force: true });
    }
  }

  return {
    /**
     * Stores bytes under their hash, and replaces an existing file. It does not verify the signature: the caller can
     * do that while the bytes are being written.
     * @param sha256 of exactly these bytes
     */
    keep,
    /** Returns the bytes; null when the bundle does not exist or does not match its hash. */
    read,
    /** Removes incomplete files that were written before a time, in milliseconds. */
    removePartsBefore,
    has: (sha256: string) => existsSync(fileOf(sha256)),
    /** Synchronous, so that it can run within a transaction. */
    remove: (sha256: string) => rmSync(fileOf(sha256), { force: true }),
    /** The names of the bundles that were written before a time, in milliseconds. */
    writtenBefore: async (time: number): Promise<string[]> =>
      (await namesBefore(time)).flatMap((name) => BUNDLE.exec(name)?.[1] ?? []),
  };
}

/** The stored bundles, by hash. */
type BundleFolder = ReturnType<typeof openBundleFolder>;

/** The stored bundles, where a database may have them too. */
export type Bundles = Pick<BundleFolder, 'keep' | 'read' | 'has' | 'remove'>;

/** The storage of installed apps: a database and the bundles. Several processes may open it. */
export type LibraryStorage = {
  /** To read, and to write within `transact`. */
  database: DatabaseSync;
  bundles: Bundles;
  /**
   * Runs changes in one write transaction; no other process can write in between. It is durable when this returns. The work may run more
   * than once, and changes nothing but the database and the bundles.
   * @param losable whether its loss is acceptable: it then reaches the disk with the next durable one, or a little later
   */
  transact<T>(work: () => T, losable?: 'losable'): T;
  close(): void | Promise<void>;
};

/** Minimum age of unused bundles before they are removed: an install stores the bundle before its row. */
const MIN_AGE_MS = 24 * 60 * 60_000;

/** Removes a bundle that no app uses. The transaction prevents another process from starting to use it. */
export function dropBundle({ database, bundles, transact }: LibraryStorage, sha256: string): void {
  transact(() => {
    if (!isInUse(database, sha256)) bundles.remove(sha256);
  });
}

/** Removes files of processes that ended during an install. @param drop removes a bundle that no app uses */
export async function sweepBundles(
  bundles: Pick<BundleFolder, 'removePartsBefore' | 'writtenBefore'>,
  now: number,
  drop: (sha256: string) => void,
): Promise<void> {
  await bundles.removePartsBefore(now - MIN_AGE_MS);
  for (const sha256 of await bundles.writtenBefore(now - MIN_AGE_MS)) drop(sha256);
}

/**
 * Opens the storage of installed apps.
 * @param folder the folder that the client gave the runtime; it is created if needed
 * @throws when it cannot be opened, or was written by a later runtime
 */
export async function openLibraryStorage(system: System, folder: string): Promise<LibraryStorage> {
  const bundlesFolder = path.join(folder, 'bundles');
  const database = await withLock(system, path.join(folder, 'library.lock'), async () =>
    openLibraryDatabase(folder, bundlesFolder),
  );
  const bundles = openBundleFolder(system, bundlesFolder);
  const storage: LibraryStorage = {
    database,
    bundles,
    transact: (work, losable) => (losable ? inUnsyncedTransaction : inTransaction)(database, work),
    close: () => database.close(),
  };
  await sweepBundles(bundles, system.now(), (sha256) => dropBundle(storage, sha256));
  return storage;
}

const INSTALL_ID = 'install-id';
const INSTALL_ID_BYTES = 16;

/**
 * The id by which a store counts installs: random, created once for the folder, and sent to stores only when a bundle is downloaded.
 * It reveals nothing about the user or the machine.
 */
export function installIdOf(
  system: Pick<System, 'randomBytes'>,
  { database, transact }: LibraryStorage,
): string {
  return transact(() => {
    const row = database.prepare('select value from settings where name = ?').get(INSTALL_ID);
    if (row) return row.value as string;
    const id = Buffer.from(system.randomBytes(INSTALL_ID_BYTES)).toString('hex');
    database.prepare('insert into settings (name, value) values (?, ?)').run(INSTALL_ID, id);
    return id;
  });
}
