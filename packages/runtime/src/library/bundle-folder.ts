import { createHash } from 'node:crypto';
import {
  closeSync,
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
import type { Ambient } from '../platform/ambient.ts';
import { syncFolder } from '../platform/sync-folder.ts';

const BUNDLE = /^([0-9a-f]{64})\.svc-app$/;

/** How the name of bytes ends that are no bundle yet. */
const PART = '.part';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that are written, and no bundle yet. */
export type StagedBundle = {
  /** Makes them, once they are on the disk, the bundle of that name, in the place of whatever was there. */
  keepAs(sha256: string): Promise<void>;
  drop(): Promise<void>;
};

/** Bundles, each under its hash. */
export type BundleFolder = {
  /** Writes bytes, which make their way to the disk while the caller verifies them. */
  stage(bytes: Uint8Array): Promise<StagedBundle>;
  has(sha256: string): boolean;
  /** The bytes, or null when they are not there or are not what their name says. */
  read(sha256: string): Promise<Uint8Array | null>;
  /** At once, so that it can be done within a transaction. */
  remove(sha256: string): void;
  /** Names of the bundles that were written before a time, in milliseconds. */
  writtenBefore(time: number): Promise<string[]>;
  /** Removes bytes that were staged before a time, in milliseconds, and became no bundle. */
  removeStagedBefore(time: number): Promise<void>;
};

// What takes microseconds is done at once: on a busy computer each step that is handed to another thread waits for a processor.
// Bytes, and the disk, are waited for elsewhere.

const flush = promisify(fsync);
const writeSome = promisify(writeTo);

/** Writes a whole file. What it resolves with settles when the file is on the disk, and is closed. */
async function write(file: string, bytes: Uint8Array): Promise<{ flushed: Promise<void> }> {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeSome(descriptor, bytes, at)).bytesWritten;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const flushed = flush(descriptor).finally(() => closeSync(descriptor));
  // It may fail before anybody waits for it.
  flushed.catch(() => undefined);
  return { flushed };
}

/**
 * Bundles in a folder. What is read is hashed again, so that what a disk or another program did to a file never passes for
 * what was installed.
 */
export function openBundleFolder(ambient: Pick<Ambient, 'randomBytes'>, folder: string): BundleFolder {
  const fileOf = (sha256: string) => path.join(folder, `${sha256}.svc-app`);

  async function read(sha256: string): Promise<Uint8Array | null> {
    const bytes = await readFile(fileOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes && hashOf(bytes) === sha256 ? bytes : null;
  }

  async function stage(bytes: Uint8Array): Promise<StagedBundle> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const part = path.join(folder, `${Buffer.from(ambient.randomBytes(16)).toString('hex')}${PART}`);
    const { flushed } = await write(part, bytes).catch(async (error: unknown) => {
      await rm(part, { force: true });
      throw error;
    });
    return {
      async keepAs(sha256) {
        await flushed;
        renameSync(part, fileOf(sha256));
        await syncFolder(folder);
      },
      async drop() {
        await flushed.catch(() => undefined);
        await rm(part, { force: true });
      },
    };
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

  async function removeStagedBefore(time: number): Promise<void> {
    for (const name of await namesBefore(time)) {
      if (name.endsWith(PART)) await rm(path.join(folder, name), { force: true });
    }
  }

  return {
    stage,
    read,
    removeStagedBefore,
    has: (sha256) => existsSync(fileOf(sha256)),
    remove: (sha256) => rmSync(fileOf(sha256), { force: true }),
    writtenBefore: async (time) => (await namesBefore(time)).flatMap((name) => BUNDLE.exec(name)?.[1] ?? []),
  };
}
