import { createHash, type Hash } from 'node:crypto';
import { closeSync, rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openNewPrivateFile } from '@svc/bundle/private-files';
import { releaseBuffers } from '../../platform/collect-garbage.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { makeFolderDurably, syncFile, writeChunks } from './durable-file.ts';
import { onDisk, orNull } from './faults.ts';

/** Bytes that are buffered before a write: one write for each packet would be slow. */
const WRITE_BYTES = 512 * 1024;
/** Maximum buffered packets: their overhead must not fill the memory when a client sends single bytes. */
const WRITE_CHUNKS = 256;

/** Writes a stream to a file while hashing it; stops at the limit. Returns the number of bytes, or null past the limit. */
async function drain(source: AsyncIterable<Uint8Array>, fd: number, hash: Hash, limit: number) {
  let size = 0;
  let chunks: Uint8Array[] = [];
  let bufferedBytes = 0;
  const flush = async () => {
    const written = await onDisk(writeChunks(fd, chunks));
    // A full disk may write a part without an error; the hash would then cover bytes that are not on the disk.
    if (written !== bufferedBytes) throw new UnavailableError('The disk wrote only a part of the data.');
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
function forget(fd: number, file: string): void {
  closeSync(fd);
  rmSync(file, { force: true });
}

/** A stream that was spooled to a local file, which is still open and not synced. */
export type SpooledFile = {
  sha256: string;
  size: number;
  /** Waits until the bytes are on the disk, and closes the file; once, however often it is called. @throws when `close` was called first */
  sync(): Promise<void>;
  /** Closes the file, after an unfinished `sync`. */
  close(): Promise<void>;
};

function spooledFile(fd: number, sha256: string, size: number): SpooledFile {
  let synced: Promise<void> | undefined;
  let isOpen = true;
  // A second close would close another file that has got the same number.
  const closeOnce = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    sha256,
    size,
    async sync() {
      if (!isOpen && !synced) throw new Error('The spooled file is closed.');
      synced ??= onDisk(syncFile(fd)).finally(closeOnce);
      return synced;
    },
    async close() {
      await synced?.catch(() => {});
      closeOnce();
    },
  };
}

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
  const fd = await onDisk(Promise.try(openNewPrivateFile, file));
  const size = await drain(source, fd, hash, limit).catch((error: unknown) => {
    forget(fd, file);
    throw error;
  });
  if (size === null) {
    forget(fd, file);
    return null;
  }
  return spooledFile(fd, hash.digest('hex'), size);
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
