import {
  closeSync,
  fstatSync,
  fsync,
  openSync,
  read,
  renameSync,
  type Stats,
  writeFile,
  writev,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makePrivateFolder, openNewPrivateFile, openPrivateFolder } from '@svc/bundle/private-files';

/**
 * Waits until a file or folder is on the disk. Only this, reads and writes wait for the disk, in a thread of the pool: to open, close or
 * rename takes microseconds, less than to wake a thread and wait for its answer.
 */
export const syncFile: (fd: number) => Promise<void> = promisify(fsync);

const writeOnce = promisify(writev);

/** Writes chunks at the end of what was written. @returns the bytes that were written: a full disk may take a part without an error */
export const writeChunks = async (fd: number, chunks: readonly Uint8Array[]): Promise<number> =>
  chunks.length > 0 ? (await writeOnce(fd, chunks)).bytesWritten : 0;

const writeAll = promisify(writeFile);

const readOnce = promisify(read);

/** Reads a whole file. */
export async function readWhole(file: string): Promise<{ bytes: Buffer; stats: Stats }> {
  const fd = openSync(file, 'r');
  try {
    const stats = fstatSync(fd);
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    let size = 0;
    while (size < bytes.byteLength) {
      const { bytesRead } = await readOnce(fd, bytes, size, bytes.byteLength - size, size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    return { bytes: bytes.subarray(0, size), stats };
  } finally {
    closeSync(fd);
  }
}

/** Syncs a folder: a rename is only durable once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const fd = openSync(folder, 'r');
  try {
    await syncFile(fd);
  } finally {
    closeSync(fd);
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
export async function writeDurably(file: string, content: Uint8Array | string): Promise<void> {
  const fd = openNewPrivateFile(file);
  try {
    await writeAll(fd, content);
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/** Renames a durable file to its final name, durably. */
export async function renameDurably(from: string, to: string): Promise<void> {
  renameSync(from, to);
  await syncFolder(dirname(to));
}
