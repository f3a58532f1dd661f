import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Syncs a folder: a rename is only durable once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether a path is a folder or a link to one. */
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Creates a folder and its missing ancestors. Node's own recursive `mkdir` loops forever where a file system reports an existing
 * ancestor as missing, as `/proc` does.
 * @returns the created folders, the topmost first
 */
async function makeFolders(folder: string): Promise<string[]> {
  const make = (): Promise<void> => mkdir(folder, { mode: 0o700 });
  try {
    await make();
    return [folder];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(folder))) return [];
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    const above = await makeFolders(dirname(folder));
    await make();
    return [...above, folder];
  }
}

/**
 * Creates a folder and its missing ancestors durably, readable only by the owner. The folder's own name must be on the disk before a
 * file in it can survive a power cut.
 */
export async function makeFolderDurably(folder: string): Promise<void> {
  for (const made of (await makeFolders(resolve(folder))).toReversed()) await syncFolder(dirname(made));
}

/** Writes a file so that it survives a power cut, under a temporary name. */
export async function writeDurably(file: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames a durable file to its final name, durably. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}
