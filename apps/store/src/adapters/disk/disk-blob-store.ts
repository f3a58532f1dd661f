import { createHash } from 'node:crypto';
import { type BigIntStats, rmSync, utimesSync } from 'node:fs';
import { access, constants, type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { LRUCache } from 'lru-cache';
import type { BlobStore, KeptRecord, StagedBlob } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { isBlobName, shardPath, tileParts } from '../blob-name.ts';
import { makeFolderDurably, readWhole, renameDurably, syncFolder, writeDurably } from './durable-file.ts';
import { onDisk, orNull } from './faults.ts';
import { watchPlaces } from './in-place.ts';
import { makeFolder, removeOlder, spoolToFile } from './spool-to-file.ts';
import { streamFile } from './stream-file.ts';

/** Bytes per read. */
const PIECE_BYTES = 256 * 1024;

/** Files whose state is remembered: some 200 bytes each. */
const MAX_KNOWN = 20_000;

/** A file that was changed more recently may change again within the same tick of its file system's clock, in milliseconds. */
const SETTLED_MS = 1_000;

const NS_PER_MS = 1_000_000n;

/** Changes when a file is replaced or written to: its time of change cannot be set. */
const stateOf = ({ dev, ino, size, ctimeNs }: BigIntStats): string => `${dev}:${ino}:${size}:${ctimeNs}`;

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Files that are named by the hash of their bytes, and were compared with it. */
function createIntactFiles() {
  // `maxSize` instead of `max`: `max` allocates memory for all entries in advance.
  const known = new LRUCache<string, string>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });
  return {
    /** Whether a file was compared, and has not changed since. */
    isKnown: (sha256: string, stats: BigIntStats): boolean => known.get(sha256) === stateOf(stats),
    /**
     * Compares an open file with its hash, unless it has not changed since it was compared.
     * @throws UnavailableError when the bytes are others
     */
    async compare(sha256: string, handle: FileHandle): Promise<void> {
      const stats = await handle.stat({ bigint: true });
      if (known.get(sha256) === stateOf(stats)) return;
      if ((await hashOf(handle)) !== sha256)
        throw new UnavailableError(`The file ${sha256} has other bytes: restore it from a backup.`);
      if (Number(stats.ctimeNs / NS_PER_MS) < Date.now() - SETTLED_MS) known.set(sha256, stateOf(stats));
    },
  };
}

const shardsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).toSorted();

/**
 * Creates the folder of a shard before its first blob is renamed into it.
 * @param requireInPlace throws when the folder was replaced or removed
 * @returns waits until a shard is on the disk, also when another request or process has just created it
 */
async function prepareShards(
  folder: string,
  requireInPlace: () => void,
): Promise<(shard: string) => Promise<void>> {
  const existing = await shardsIn(folder);
  // Another process may have just created one of them.
  await syncFolder(folder);
  const durable = new Map(existing.map((shard) => [shard, Promise.resolve()]));
  const make = async (shard: string): Promise<void> => {
    requireInPlace();
    makePrivateFolder(join(folder, shard));
    await syncFolder(folder);
  };
  return async (shard) => {
    const creation = durable.get(shard) ?? make(shard);
    durable.set(shard, creation);
    try {
      await creation;
    } catch (error) {
      durable.delete(shard);
      throw error;
    }
  };
}

/** Metadata files that are stored next to the blobs. */
type Note = 'owner' | KeptRecord;

/**
 * Blobs as files: `blobs/ab/abcd…`, written elsewhere first and renamed when they are on the disk.
 * @param folder created when it does not exist
 * @param newName creates a unique name for a temporary file
 * @throws when the folder cannot be written to
 */
export async function openDiskBlobStore(folder: string, newName: () => string): Promise<BlobStore> {
  const blobs = join(folder, 'blobs');
  const temporary = join(folder, 'incoming');
  await makeFolder(temporary);
  await makeFolderDurably(blobs);
  // On a read-only volume every upload would fail, so the start fails already, where the operator notices it.
  for (const path of [temporary, blobs]) await access(path, constants.W_OK);
  const requireInPlace = watchPlaces([blobs]);
  const shardReady = await prepareShards(blobs, requireInPlace);
  const intactFiles = createIntactFiles();

  /** Returns the path of a blob. Only a hash can become a path: no text of a request reaches the disk. */
  const pathOf = (sha256: string): string => {
    return join(blobs, shardPath(sha256), sha256);
  };
  /** Updates the time of bytes, so that a sweep treats them as just stored. @returns false when they do not exist */
  const touch = async (sha256: string): Promise<boolean> => {
    const now = new Date();
    return (await onDisk(orNull(Promise.try(utimesSync, pathOf(sha256), now, now)))) !== null;
  };
  const keep = async (file: string, sha256: string): Promise<void> => {
    await onDisk(shardReady(shardPath(sha256)));
    await onDisk(renameDurably(file, pathOf(sha256)));
    // A folder that replaced this one does not contain them.
    requireInPlace();
  };
  /** Compares a file with its hash. */
  const requireIntact = async (sha256: string): Promise<void> => {
    const handle = await open(pathOf(sha256));
    try {
      await intactFiles.compare(sha256, handle);
    } finally {
      await handle.close();
    }
  };
  /** Writes a file of the store itself, which is not complete until it is renamed into its place. */
  const writeOwn = async (file: string, content: string | Uint8Array): Promise<void> => {
    requireInPlace();
    const draft = join(temporary, `draft-${newName()}`);
    try {
      await writeDurably(draft, content);
      await renameDurably(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  };
  const writeNote = (name: Note, text: string): Promise<void> => writeOwn(join(blobs, name), text);
  const readNote = async (name: Note): Promise<string | null> => {
    requireInPlace();
    // An empty file counts as missing: a disk may have lost its content.
    return (await onDisk(orNull(readFile(join(blobs, name), 'utf8')))) || null;
  };

  const tileFile = (path: string): string => join(folder, 'log', ...tileParts(path));
  const keepTile = async (path: string, bytes: Uint8Array): Promise<void> => {
    requireInPlace();
    await makeFolderDurably(dirname(tileFile(path)));
    await writeOwn(tileFile(path), bytes);
  };

  return {
    async stage(source, limit): Promise<StagedBlob | null> {
      const file = join(temporary, newName());
      const spooled = await spoolToFile(source, file, limit);
      if (!spooled) return null;
      const { sha256, size } = spooled;
      return {
        sha256,
        size,
        file,
        prepare() {
          spooled.sync().catch(() => {});
        },
        async keep() {
          await spooled.sync();
          await keep(file, sha256);
        },
        async discard() {
          await spooled.close();
          // Nothing is left of it when it was kept.
          await onDisk(Promise.try(rmSync, file, { force: true }));
        },
      };
    },
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      // An existing file counts only when its hash matches its name: a disk may have damaged it.
      const existing = await onDisk(orNull(readWhole(pathOf(sha256))));
      if (existing?.bytes.equals(bytes) && (await touch(sha256))) {
        // Its writer may have just renamed it, and not have synced the shard yet.
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
      const info = await onDisk(orNull(stat(pathOf(sha256), { bigint: true })));
      if (!info) return null;
      const size = Number(info.size);
      return {
        ...{ size, keptAt: info.mtime, place: `${shardPath(sha256)}/${sha256}` },
        stream: (part = { offset: 0, length: size }) =>
          streamFile(pathOf(sha256), part, (handle) => intactFiles.compare(sha256, handle)),
        async requireIntact() {
          if (!intactFiles.isKnown(sha256, info)) await onDisk(requireIntact(sha256));
        },
      };
    },
    async *list() {
      for (const shard of await onDisk(shardsIn(blobs))) {
        const names = await onDisk(readdir(join(blobs, shard)));
        yield* names.filter(isBlobName);
      }
    },
    remove: (sha256) => onDisk(rm(pathOf(sha256), { force: true })),
    sweepStaged: (before) => onDisk(removeOlder(temporary, before)),
    owner: () => readNote('owner'),
    claim: (owner) => onDisk(writeNote('owner', owner)),
    keptRecord: readNote,
    keepRecord: (name, text) => onDisk(writeNote(name, text)),
    tile: (path) => onDisk(orNull(readFile(tileFile(path)))),
    keepTile: (path, bytes) => onDisk(keepTile(path, bytes)),
  };
}
