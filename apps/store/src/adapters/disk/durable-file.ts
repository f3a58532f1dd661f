import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, newPrivateFile, openPrivateFolder } from '@svc/bundle/private-files';

/** Syncs a folder: a rename is only durable once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The names of new folders must be on the disk before a file in them can survive a power cut. */
async function syncNames(made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) await syncFolder(dirname(folder));
}

/** Creates a folder and its missing ancestors durably, readable only by the owner. */
export const makeFolderDurably = async (folder: string): Promise<void> =>
  syncNames(makePrivateFolder(folder));

/**
 * Creates the data folder of a store durably, or makes an existing one private.
 * @throws PrivateFolderError when other users can change what is in it
 */
export const openFolderDurably = async (folder: string): Promise<void> =>
  syncNames(openPrivateFolder(folder));

/** Writes a file so that it survives a power cut, under a temporary name. */
export async function writeDurably(file: string, bytes: Uint8Array | string): Promise<void> {
  const handle = await newPrivateFile(file);
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
