import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { BlobStore, StagedBlob } from '../../publishing/blob-store.ts';
import { renameDurably, syncFolder, writeDurably } from './durable-file.ts';

const SHA256 = /^[0-9a-f]{64}$/;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const orNull = async <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** How much is gathered before it is written, in bytes: a write for each packet would cost more than the writing. */
const WRITE_BYTES = 512 * 1024;
/** Packets gathered at the most: whoever sends a byte at a time must not fill the memory with what surrounds each. */
const WRITE_CHUNKS = 256;

/** Writes a stream to a file while hashing it; stops at the limit. Returns the number of bytes, or null past the limit. */
async function drain(source: AsyncIterable<Uint8Array>, file: FileHandle, hash: Hash, limit: number) {
  let size = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = async () => {
    const { bytesWritten } = held.length > 0 ? await file.writev(held) : { bytesWritten: 0 };
    // A disk that fills up may take a part without an error; the hash would then speak of bytes that are not there.
    if (bytesWritten !== heldBytes) throw new Error('The disk took only a part of what was written.');
    held = [];
    heldBytes = 0;
  };
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) return null;
    hash.update(chunk);
    held.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes >= WRITE_BYTES || held.length >= WRITE_CHUNKS) await flush();
  }
  await flush();
  return size;
}

/** Ends a file that was begun and is not wanted. */
async function forget(handle: FileHandle, file: string): Promise<void> {
  await handle.close();
  await rm(file, { force: true });
}

/** Makes all 256 shelves at once, so that keeping a blob never has to make a folder and sync its parent. */
async function makeShelves(folder: string): Promise<void> {
  const shelves = Array.from({ length: 256 }, (_, n) => join(folder, n.toString(16).padStart(2, '0')));
  const made = await Promise.all(shelves.map((shelf) => mkdir(shelf, { recursive: true, mode: 0o700 })));
  if (made.some((path) => path !== undefined)) await syncFolder(folder);
}

/**
 * Blobs as files: `blobs/ab/abcd…`, written elsewhere first and renamed when they are on the disk.
 * @param folder made when it is not there; what an earlier process left half written in it is removed
 * @param newName a fresh name for a temporary file
 */
export async function openDiskBlobStore(folder: string, newName: () => string): Promise<BlobStore> {
  const kept = join(folder, 'blobs');
  const temporary = join(folder, 'incoming');
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  await makeShelves(kept);

  /** Only a hash can become a path: nothing that a request says reaches the disk. */
  const pathOf = (sha256: string): string => {
    if (!SHA256.test(sha256)) throw new Error('A blob was asked for by something that is not a hash.');
    return join(kept, sha256.slice(0, 2), sha256);
  };
  const exists = async (sha256: string) => (await orNull(access(pathOf(sha256)))) !== null;
  const keep = (file: string, sha256: string): Promise<void> => renameDurably(file, pathOf(sha256));

  return {
    async stage(source, limit): Promise<StagedBlob | null> {
      const file = join(temporary, newName());
      const hash = createHash('sha256');
      const handle = await open(file, 'wx', 0o600);
      const size = await drain(source, handle, hash, limit).catch(async (error: unknown) => {
        await forget(handle, file);
        throw error;
      });
      if (size === null) {
        await forget(handle, file);
        return null;
      }
      const sha256 = hash.digest('hex');
      // The disk works while the bundle is inspected; only keeping it has to wait for the disk.
      const synced = handle.sync().finally(() => handle.close());
      synced.catch(() => {});
      return {
        sha256,
        size,
        file,
        async keep() {
          await synced;
          await keep(file, sha256);
        },
        async discard() {
          await synced.catch(() => {});
          await rm(file, { force: true });
        },
      };
    },
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (await exists(sha256)) {
        // Whoever wrote it may have renamed it just now, and not have synced the shelf yet.
        await syncFolder(dirname(pathOf(sha256)));
        return sha256;
      }
      const file = join(temporary, newName());
      try {
        await writeDurably(file, bytes);
        await keep(file, sha256);
      } finally {
        await rm(file, { force: true });
      }
      return sha256;
    },
    async open(sha256) {
      const info = await orNull(stat(pathOf(sha256)));
      if (!info) return null;
      const stream = () => Readable.toWeb(createReadStream(pathOf(sha256))) as ReadableStream<Uint8Array>;
      return { size: info.size, stream };
    },
    async *list() {
      for (const shelf of await readdir(kept)) yield* await readdir(join(kept, shelf));
    },
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
  };
}
