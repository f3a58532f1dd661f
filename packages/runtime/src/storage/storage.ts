import { join } from 'node:path';
import { type AppStorage, createAppStorage } from '../files/app-storage.ts';
import { type LibraryStorage, openLibraryStorage } from '../library/library-storage.ts';
import { type Alone, locksIn } from '../platform/process-lock.ts';
import type { System } from '../platform/system.ts';
import type { Programs } from '../programs/own-program.ts';
import { type VaultPlace, vaultIn } from '../vault/vault.ts';

/** Where a runtime keeps its state. Several processes may open the same state at the same time. */
export type RuntimeStorage = {
  /** Installed apps and their bundles, the user's choices, the accepted descriptions of tools, the keys and lists of stores. */
  library: LibraryStorage;
  /** The encrypted secrets. */
  vault: VaultPlace;
  /** Files that apps returned. */
  files: AppStorage;
  /** Keeps two processes from the same work, such as the renewal of one account's tokens. */
  alone: Alone;
  /** Resolves when the library shows all that other processes changed before this call. */
  refresh(): Promise<void> | void;
  close(): Promise<void> | void;
};

/** What storage gets of the runtime. The folder is on this machine: of storage elsewhere it has copies and locks. */
export type StorageDeps = {
  system: System;
  folder: string;
  programs?: Programs | undefined;
};

/** Opens the storage of a runtime. @throws when it cannot be opened, or a later runtime wrote it */
export type OpenStorage = (deps: StorageDeps) => Promise<RuntimeStorage>;

/** The storage of a runtime in its folder: a database in a file, the encrypted vault, bundles and files. */
export const folderStorage: OpenStorage = async ({ system, folder }) => {
  const library = await openLibraryStorage(system, folder);
  return {
    library,
    vault: vaultIn(folder, system),
    files: createAppStorage(system, join(folder, 'files')),
    alone: locksIn(folder, system),
    // Each read of the file shows what other processes have written.
    refresh: () => undefined,
    close: library.close,
  };
};
