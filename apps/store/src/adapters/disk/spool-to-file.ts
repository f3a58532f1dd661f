import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newPrivateFile } from '@svc/bundle/private-files';
import { releaseBuffers } from '../../platform/collect-garbage.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { makeFolderDurably } from './durable-file.ts';
import { onDisk, orNull } from './faults.ts';

/** Bytes that are buffered before a write: one write for each packet would be slow. */
const WRITE_BYTES = 512 * 1024;
/** Maximum buffered packets: their overhead must not fill the memory when a client sends single bytes. */
const WRITE_CHUNKS = 256;

/** Writes a stream to a file while hashing it; stops at the limit. Returns the number of bytes, or null past the limit. */
async function drain(source: AsyncIterable<Uint8Array>, file: FileHandle, hash: Hash, limit: number) {
  let size = 0;
  let chunks: Uint8Array[] = [];
  let bufferedBytes = 0;
  const flush = async () => {
    const { bytesWritten } = chunks.length > 0 ? await onDisk(file.writev(chunks)) : { bytesWritten: 0 };
    // A full disk may write a part without an error; the hash would then cover bytes that are not on the disk.
    if (bytesWritten !== bufferedBytes) throw new UnavailableError('The disk wrote only a part of the data.');
    chunks = [];
    releaseBuffers(bufferedBytes);
    bufferedBytes = 0;
  };
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) return null;
    hash.update(chunk);
    chunks.push(chunk);
    bufferedBytes += chunk.byteLength;
    if (bufferedBytes >= WRITE_BYTES || chunks.length >= WRITE_CHUNKS) await flush();
  }
  await flush();
  return size;
}

/** Closes and deletes an unfinished file. */
async function forget(handle: FileHandle, file: string): Promise<void> {
  await handle.close();
  await rm(file, { force: true });
}

/** A stream that was spooled to a local file, which is still open and not synced. */
export type SpooledFile = { sha256: string; size: number; handle: FileHandle };

/**
 * Spools a stream to a new file that only the owner can read, without holding it in memory.
 * @param limit bytes
 * @throws UnavailableError when the disk is full or fails
 * @returns null when the stream has more than `limit` bytes; the file is then deleted, as it is when the stream fails
 */
export async function spoolToFile(
  source: AsyncIterable<Uint8Array>,
  file: string,
  limit: number,
): Promise<SpooledFile | null> {
  const hash = createHash('sha256');
  const handle = await onDisk(newPrivateFile(file));
  const size = await drain(source, handle, hash, limit).catch(async (error: unknown) => {
    await forget(handle, file);
    throw error;
  });
  if (size === null) {
    await forget(handle, file);
    return null;
  }
  return { sha256: hash.digest('hex'), size, handle };
}

/** Creates the folder for files that are being uploaded. Several processes may use it at the same time. */
export const makeFolder = makeFolderDurably;

/** Removes the files of a folder that were last written to before a time. */
export async function removeOlder(folder: string, before: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const info = await orNull(stat(file));
    if (info && info.mtime < before) await rm(file, { force: true });
  }
}
