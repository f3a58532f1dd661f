import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  write as writeTo,
} from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { syncFolder } from '../platform/sync-folder.ts';
import type { System } from '../platform/system.ts';

const BUNDLE = /^([0-9a-f]{64})\.svc-app$/;

/** Extension of files that are still being written. */
const PART = '.part';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The stored bundles, by hash. */
export type BundleFolder = {
  /**
   * Stores bytes under their hash, and replaces an existing file. It does not verify the signature: the caller can
   * do that while the bytes are being written.
   * @param sha256 of exactly these bytes
   */
  keep(bytes: Uint8Array, sha256: string): Promise<void>;
  has(sha256: string): boolean;
  /** Returns the bytes; null when the bundle does not exist or does not match its hash. */
  read(sha256: string): Promise<Uint8Array | null>;
  /** Synchronous, so that it can run within a transaction. */
  remove(sha256: string): void;
  /** The names of the bundles that were written before a time, in milliseconds. */
  writtenBefore(time: number): Promise<string[]>;
  /** Removes incomplete files that were written before a time, in milliseconds. */
  removePartsBefore(time: number): Promise<void>;
};

// Operations of microseconds are synchronous: on a busy computer each step in another thread waits for a processor.
// Writing bytes and syncing to the disk are asynchronous.

const { O_CREAT, O_EXCL, O_SYNC, O_WRONLY } = constants;

/** Each write is synced: a separate flush would first return to this thread, which is busy verifying. */
const NEW_AND_SYNCED = O_CREAT | O_EXCL | O_SYNC | O_WRONLY;

const flush = promisify(fsync);
const writeSome = promisify(writeTo);

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const descriptor = openSync(file, NEW_AND_SYNCED, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeSome(descriptor, bytes, at)).bytesWritten;
    // On other systems a synced write may only reach the cache of the disk (macOS), or is not supported.
    if (process.platform !== 'linux') await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens the stored bundles in a folder. The hash is verified on each read, so that a file that was damaged or modified is never
 * used.
 */
export function openBundleFolder(system: Pick<System, 'randomBytes'>, folder: string): BundleFolder {
  const fileOf = (sha256: string) => path.join(folder, `${sha256}.svc-app`);

  async function read(sha256: string): Promise<Uint8Array | null> {
    const bytes = await readFile(fileOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes && hashOf(bytes) === sha256 ? bytes : null;
  }

  async function keep(bytes: Uint8Array, sha256: string): Promise<void> {
    makePrivateFolder(folder);
    const part = path.join(folder, `${Buffer.from(system.randomBytes(16)).toString('hex')}${PART}`);
    try {
      await writeDurably(part, bytes);
      renameSync(part, fileOf(sha256));
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  async function namesBefore(time: number): Promise<string[]> {
    const names = await readdir(folder).catch(() => []);
    const matches = names.map(async (name) => {
      // Another process may be removing the file.
      const stats = await stat(path.join(folder, name)).catch(() => null);
      return stats && stats.mtimeMs < time ? [name] : [];
    });
    return (await Promise.all(matches)).flat();
  }

  async function removePartsBefore(time: number): Promise<void> {
    for (const name of await namesBefore(time)) {
      if (name.endsWith(PART)) await rm(path.join(folder, name), { force: true });
    }
  }

  return {
    keep,
    read,
    removePartsBefore,
    has: (sha256) => existsSync(fileOf(sha256)),
    remove: (sha256) => rmSync(fileOf(sha256), { force: true }),
    writtenBefore: async (time) => (await namesBefore(time)).flatMap((name) => BUNDLE.exec(name)?.[1] ?? []),
  };
}
