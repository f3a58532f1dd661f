import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { withLock } from '../platform/process-lock.ts';
import type { System } from '../platform/system.ts';
import { isInUse } from './app-table.ts';
import { type BundleFolder, openBundleFolder } from './bundle-folder.ts';
import { inTransaction, openLibraryDatabase } from './library-database.ts';

/** Where a client keeps what is installed: a database, and bundles beside it. Several processes may have it open. */
export type LibraryStorage = { database: DatabaseSync; bundles: BundleFolder; close(): void };

/** How long bytes that no app consists of are left alone: an install under way keeps them before its row. */
const MIN_AGE_MS = 24 * 60 * 60_000;

/** Removes a bundle that no app consists of. The transaction keeps any process from making one consist of it meanwhile. */
export function dropBundle({ database, bundles }: LibraryStorage, sha256: string): void {
  inTransaction(database, () => {
    if (!isInUse(database, sha256)) bundles.remove(sha256);
  });
}

/** Removes what processes left behind that ended in between. */
async function sweep(storage: LibraryStorage, now: number): Promise<void> {
  await storage.bundles.removePartsBefore(now - MIN_AGE_MS);
  for (const sha256 of await storage.bundles.writtenBefore(now - MIN_AGE_MS)) dropBundle(storage, sha256);
}

/**
 * Opens what is installed.
 * @param folder the folder that the client gave the runtime; it is made when it is not there
 * @throws when it cannot be opened, or a later runtime wrote it
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
