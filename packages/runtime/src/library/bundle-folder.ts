import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  write as writeTo,
} from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../platform/sync-folder.ts';
import type { System } from '../platform/system.ts';

const BUNDLE = /^([0-9a-f]{64})\.svc-app$/;

/** How the name of a file ends that is not whole yet. */
const PART = '.part';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bundles, each under its hash. */
export type BundleFolder = {
  /**
   * Writes bytes under their hash, in the place of whatever was there. It says nothing of who vouches for them: the caller may
   * verify them while they make their way to the disk.
   * @param sha256 of these very bytes
   */
  keep(bytes: Uint8Array, sha256: string): Promise<void>;
  has(sha256: string): boolean;
  /** The bytes, or null when they are not there or are not what their name says. */
  read(sha256: string): Promise<Uint8Array | null>;
  /** At once, so that it can be done within a transaction. */
  remove(sha256: string): void;
  /** Names of the bundles that were written before a time, in milliseconds. */
  writtenBefore(time: number): Promise<string[]>;
  /** Removes what was written before a time, in milliseconds, and never whole. */
  removePartsBefore(time: number): Promise<void>;
};

// What takes microseconds is done at once: on a busy computer each step that is handed to another thread waits for a processor.
// Bytes, and the disk, are waited for elsewhere.

const { O_CREAT, O_EXCL, O_SYNC, O_WRONLY } = constants;

/** Each write ends on the disk: one that is followed by a flush comes back to this thread in between, which is verifying. */
const NEW_AND_SYNCED = O_CREAT | O_EXCL | O_SYNC | O_WRONLY;

const flush = promisify(fsync);
const writeSome = promisify(writeTo);

/** Writes a new file, onto the disk. */
async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const descriptor = openSync(file, NEW_AND_SYNCED, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeSome(descriptor, bytes, at)).bytesWritten;
    // Elsewhere a synced write ends in the memory of the disk, as on macOS, or there is none.
    if (process.platform !== 'linux') await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Bundles in a folder. What is read is hashed again, so that what a disk or another program did to a file never passes for
 * what was installed.
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
    mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    const found = names.map(async (name) => {
      // Another process may be at it too.
      const stats = await stat(path.join(folder, name)).catch(() => null);
      return stats && stats.mtimeMs < time ? [name] : [];
    });
    return (await Promise.all(found)).flat();
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
