import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { spoolToFile } from '../../adapters/disk/spool-to-file.ts';

/** What a file must hold. */
export type Content = {
  sha256: string;
  /** Bytes. */
  size: number;
};

/** A file of a store or of a backup that is not there, or does not hold what it must. */
export class CorruptBackupError extends Error {}

/** A link could lead anywhere, and a pipe never ends: only plain files are read. */
const READ_PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a plain file to read, and tells its size in bytes. */
async function openPlain(file: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(file, READ_PLAIN).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CorruptBackupError(`${file} is missing.`);
    if (error.code === 'ELOOP') throw new CorruptBackupError(`${file} is no plain file.`);
    throw error;
  });
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, size: stats.size };
  await handle.close();
  throw new CorruptBackupError(`${file} is no plain file.`);
}

/** Reads a plain file with a function, and closes it whatever happens. */
async function reading<T>(file: string, read: (handle: FileHandle, size: number) => Promise<T>): Promise<T> {
  const { handle, size } = await openPlain(file);
  try {
    return await read(handle, size);
  } finally {
    await handle.close();
  }
}

const stream = (handle: FileHandle) => handle.createReadStream({ autoClose: false });

/** The size of a plain file, in bytes. */
const sizeOf = (file: string): Promise<number> => reading(file, async (_handle, size) => size);

/** Reads the text of a small file. */
export const textOf = (file: string, mostBytes: number): Promise<string> =>
  reading(file, async (handle, size) => {
    if (size > mostBytes) throw new CorruptBackupError(`${file} is too large.`);
    return handle.readFile('utf8');
  });

/** Hashes a plain file. */
export const contentOf = (file: string): Promise<Content> =>
  reading(file, async (handle, size) => {
    const hash = createHash('sha256');
    for await (const chunk of stream(handle)) hash.update(chunk);
    return { sha256: hash.digest('hex'), size };
  });

/** @throws CorruptBackupError when a file does not hold what it must */
export async function verifyFile(file: string, must: Content): Promise<void> {
  // A wrong size says it without reading a byte.
  const holds = (await sizeOf(file)) === must.size && (await contentOf(file)).sha256 === must.sha256;
  if (!holds) throw new CorruptBackupError(`${file} is damaged.`);
}

/**
 * Copies a plain file durably, hashing what is copied. Bytes are copied, never linked: a link would share the fate of the
 * disk it was to be safe from.
 * @param to a name that nothing has yet; it has none after a failure either
 * @throws CorruptBackupError when the file does not hold what it must
 */
export const copyVerified = (from: string, to: string, must: Content): Promise<void> =>
  reading(from, async (handle) => {
    const taken = await spoolToFile(stream(handle), to, must.size);
    const holds = taken?.sha256 === must.sha256 && taken.size === must.size;
    try {
      if (holds) await taken.handle.sync();
    } finally {
      await taken?.handle.close();
    }
    if (holds) return;
    await rm(to, { force: true });
    throw new CorruptBackupError(`${from} is damaged.`);
  });
