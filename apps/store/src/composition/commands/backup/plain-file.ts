import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { spoolToFile } from '../../../adapters/disk/spool-to-file.ts';

/** The content that a file must have. */
export type Content = {
  sha256: string;
  /** Bytes. */
  size: number;
};

/** A file of a store or of a backup is missing or damaged. */
export class CorruptBackupError extends Error {}

/** Only regular files are read: a link could lead anywhere, and a pipe never ends. */
const READ_PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file for withFile. @returns with its size in bytes */
async function openPlain(file: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(file, READ_PLAIN).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CorruptBackupError(`${file} is missing.`);
    if (error.code === 'ELOOP') throw new CorruptBackupError(`${file} is not a regular file.`);
    throw error;
  });
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, size: stats.size };
  await handle.close();
  throw new CorruptBackupError(`${file} is not a regular file.`);
}

/** Opens a regular file, runs a function with it, and closes it. */
async function withFile<T>(file: string, read: (handle: FileHandle, size: number) => Promise<T>): Promise<T> {
  const { handle, size } = await openPlain(file);
  try {
    return await read(handle, size);
  } finally {
    await handle.close();
  }
}

const stream = (handle: FileHandle) => handle.createReadStream({ autoClose: false });

/** The size of a regular file, in bytes. */
const sizeOf = (file: string): Promise<number> => withFile(file, async (_handle, size) => size);

/** Reads the text of a small file. */
export const textOf = (file: string, maxBytes: number): Promise<string> =>
  withFile(file, async (handle, size) => {
    if (size > maxBytes) throw new CorruptBackupError(`${file} is too large.`);
    return handle.readFile('utf8');
  });

export const contentOf = (file: string): Promise<Content> =>
  withFile(file, async (handle, size) => {
    const hash = createHash('sha256');
    for await (const chunk of stream(handle)) hash.update(chunk);
    return { sha256: hash.digest('hex'), size };
  });

/** @throws CorruptBackupError when a file does not have the expected content */
export async function verifyFile(file: string, expected: Content): Promise<void> {
  // The size is compared first, which needs no reading.
  const isIntact =
    (await sizeOf(file)) === expected.size && (await contentOf(file)).sha256 === expected.sha256;
  if (!isIntact) throw new CorruptBackupError(`${file} is damaged.`);
}

/**
 * Copies a regular file durably, and verifies the hash of the copied bytes. Bytes are copied, never linked: a link would be lost
 * together with the original.
 * @param to a path that does not exist yet; it does not exist after a failure either
 * @throws CorruptBackupError when the file does not have the expected content
 */
export const copyVerified = (from: string, to: string, expected: Content): Promise<void> =>
  withFile(from, async (handle) => {
    const copy = await spoolToFile(stream(handle), to, expected.size);
    const isIntact = copy?.sha256 === expected.sha256 && copy.size === expected.size;
    try {
      if (isIntact) await copy.sync();
    } finally {
      await copy?.close();
    }
    if (isIntact) return;
    await rm(to, { force: true });
    throw new CorruptBackupError(`${from} is damaged.`);
  });
