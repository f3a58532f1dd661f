import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobStore, StagedBlob } from '../../platform/blob-store.ts';
import { isBlobName, shardPath } from '../blob-name.ts';
import { makeFolderDurably, renameDurably, syncFolder, writeDurably } from './durable-file.ts';
import { onDisk } from './faults.ts';
import { watchPlaces } from './in-place.ts';
import { orNull } from './or-null.ts';
import { makeFolder, removeOlder, spoolToFile } from './spool-to-file.ts';
import { streamFile } from './stream-file.ts';

/** The names of the shard folders. */
const shardsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).toSorted();

/**
 * Makes a shard before its first blob gets its name.
 * @param requireInPlace throws when another folder took the place of this one, or none did
 * @returns waits until a shard is on the disk, also when another request or process has only just made it
 */
async function prepareShards(
  folder: string,
  requireInPlace: () => void,
): Promise<(shard: string) => Promise<void>> {
  const found = await shardsIn(folder);
  // Another process may have made one of them just now.
  await syncFolder(folder);
  const durable = new Map(found.map((shard) => [shard, Promise.resolve()]));
  const make = async (shard: string): Promise<void> => {
    requireInPlace();
    await mkdir(join(folder, shard), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(folder);
  };
  return async (shard) => {
    const made = durable.get(shard) ?? make(shard);
    durable.set(shard, made);
    try {
      await made;
    } catch (error) {
      durable.delete(shard);
      throw error;
    }
  };
}

/** Metadata files that are stored next to the blobs. */
type Note = 'owner' | 'revocations';

/**
 * Blobs as files: `blobs/ab/abcd…`, written elsewhere first and renamed when they are on the disk.
 * @param folder created when it does not exist
 * @param newName creates a unique name for a temporary file
 * @throws when the folder cannot be written to
 */
export async function openDiskBlobStore(folder: string, newName: () => string): Promise<BlobStore> {
  const kept = join(folder, 'blobs');
  const temporary = join(folder, 'incoming');
  await makeFolder(temporary);
  await makeFolderDurably(kept);
  // On a read-only volume every upload would fail, so the start fails already, where the operator notices it.
  for (const path of [temporary, kept]) await access(path, constants.W_OK);
  const requireInPlace = watchPlaces([kept]);
  const shardReady = await prepareShards(kept, requireInPlace);

  /** Only a hash can become a path: no text of a request reaches the disk. */
  const pathOf = (sha256: string): string => {
    return join(kept, shardPath(sha256), sha256);
  };
  /** Whether the bytes are there; as of now they count as kept just now. */
  const touch = async (sha256: string): Promise<boolean> => {
    const now = new Date();
    return (await onDisk(orNull(utimes(pathOf(sha256), now, now).then(() => true)))) ?? false;
  };
  const keep = async (file: string, sha256: string): Promise<void> => {
    await onDisk(shardReady(shardPath(sha256)));
    await onDisk(renameDurably(file, pathOf(sha256)));
    // A folder that replaced this one does not contain them.
    requireInPlace();
  };
  const writeNote = async (name: Note, text: string): Promise<void> => {
    requireInPlace();
    const draft = join(temporary, newName());
    await writeDurably(draft, text);
    await renameDurably(draft, join(kept, name));
  };
  const readNote = async (name: Note): Promise<string | null> => {
    requireInPlace();
    // An empty file counts as none: a disk may have lost its content.
    return (await onDisk(orNull(readFile(join(kept, name), 'utf8')))) || null;
  };

  return {
    async stage(source, limit): Promise<StagedBlob | null> {
      const file = join(temporary, newName());
      const taken = await spoolToFile(source, file, limit);
      if (!taken) return null;
      const { sha256, size, handle } = taken;
      let synced: Promise<void> | undefined;
      const sync = (): Promise<void> => {
        synced ??= onDisk(handle.sync().finally(() => handle.close()));
        return synced;
      };
      return {
        sha256,
        size,
        file,
        prepare() {
          sync().catch(() => {});
        },
        async keep() {
          await sync();
          await keep(file, sha256);
        },
        async discard() {
          await (synced ?? handle.close()).catch(() => {});
          await onDisk(rm(file, { force: true }));
        },
      };
    },
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      // An existing file counts only when its hash is its name: a disk may have damaged it.
      const held = await onDisk(orNull(readFile(pathOf(sha256))));
      if (held?.equals(bytes) && (await touch(sha256))) {
        // Its writer may have renamed it just now, and not have synced the shard yet.
        await onDisk(shardReady(shardPath(sha256)));
        await onDisk(syncFolder(dirname(pathOf(sha256))));
        requireInPlace();
        return sha256;
      }
      const file = join(temporary, newName());
      try {
        await onDisk(writeDurably(file, bytes));
        await keep(file, sha256);
      } finally {
        await rm(file, { force: true });
      }
      return sha256;
    },
    async open(sha256) {
      const info = await onDisk(orNull(stat(pathOf(sha256))));
      if (!info) return null;
      const { size, mtime } = info;
      const stream = (part = { offset: 0, length: size }) => streamFile(pathOf(sha256), part);
      return { size, keptAt: mtime, place: `${shardPath(sha256)}/${sha256}`, stream };
    },
    async *list() {
      for (const shard of await onDisk(shardsIn(kept))) {
        const names = await onDisk(readdir(join(kept, shard)));
        yield* names.filter(isBlobName);
      }
    },
    remove: (sha256) => onDisk(rm(pathOf(sha256), { force: true })),
    sweepStaged: (before) => onDisk(removeOlder(temporary, before)),
    owner: () => readNote('owner'),
    claim: (owner) => onDisk(writeNote('owner', owner)),
    keptList: () => readNote('revocations'),
    keepList: (list) => onDisk(writeNote('revocations', list)),
  };
}
