import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { withLock } from '../platform/process-lock.ts';
import type { System } from '../platform/system.ts';
import { isInUse } from './app-table.ts';
import { type BundleFolder, openBundleFolder } from './bundle-folder.ts';
import { inTransaction, openLibraryDatabase } from './library-database.ts';

/** The storage of installed apps: a database and a folder of bundles. Several processes may open it. */
export type LibraryStorage = { database: DatabaseSync; bundles: BundleFolder; close(): void };

/** Minimum age of unused bundles before they are removed: an install stores the bundle before its row. */
const MIN_AGE_MS = 24 * 60 * 60_000;

/** Removes a bundle that no app uses. The transaction prevents another process from starting to use it. */
export function dropBundle({ database, bundles }: LibraryStorage, sha256: string): void {
  inTransaction(database, () => {
    if (!isInUse(database, sha256)) bundles.remove(sha256);
  });
}

/** Removes files of processes that ended during an install. */
async function sweep(storage: LibraryStorage, now: number): Promise<void> {
  await storage.bundles.removePartsBefore(now - MIN_AGE_MS);
  for (const sha256 of await storage.bundles.writtenBefore(now - MIN_AGE_MS)) dropBundle(storage, sha256);
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
  const storage = { database, bundles, close: () => database.close() };
  await sweep(storage, system.now());
  return storage;
}
