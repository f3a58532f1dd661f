import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import type { RasterCache } from '../../core/pictures/rasters.ts';
import type { Clock } from '../../platform/system.ts';
import { readWhole } from './durable-file.ts';
import { onDisk, orNull } from './faults.ts';

const HASH = /^[0-9a-f]{64}$/;

const DAY_MS = 24 * 3_600_000;

/** How long a drawing is kept after its last use, in milliseconds. */
const UNUSED_MS = 30 * DAY_MS;

/** Drawings as files under the data folder. */
export interface RasterFolder extends RasterCache {
  /**
   * Deletes the drawings that were not used for thirty days: of rejected uploads, removed apps and earlier names.
   * @returns the number of deleted files
   * @throws when the signal is aborted
   */
  removeUnused(signal?: AbortSignal): Promise<number>;
}

/** Keeps drawings as files under the data folder. They may be removed at any time: they are drawn again when asked for. */
export function openRasterFolder(dataDir: string, newName: () => string, clock: Clock): RasterFolder {
  const folder = join(dataDir, 'rasters');
  const fileOf = (sha256: string): string => {
    if (!HASH.test(sha256)) throw new Error('The name is not a hash.');
    return join(folder, sha256.slice(0, 2), `${sha256}.png`);
  };
  const ageOf = ({ mtimeMs }: { mtimeMs: number }): number => clock().getTime() - mtimeMs;

  async function write(file: string, png: Uint8Array): Promise<void> {
    makePrivateFolder(join(file, '..'));
    const making = `${file}.${newName()}`;
    try {
      const handle = await newPrivateFile(making);
      await handle.writeFile(png).finally(() => handle.close());
      await rename(making, file);
    } catch (error) {
      // On a full disk a part of it would take the last bytes.
      await rm(making, { force: true });
      throw error;
    }
  }

  return {
    async get(sha256) {
      const file = fileOf(sha256);
      const found = await orNull(readWhole(file));
      // A use is recorded as the time of the file, once a day. A failure does no harm: at worst the drawing is drawn again.
      if (found && ageOf(found.stats) > DAY_MS) await utimes(file, clock(), clock()).catch(() => {});
      return found?.bytes ?? null;
    },
    put: (sha256, png) => onDisk(write(fileOf(sha256), png)),
    async removeUnused(signal) {
      let removed = 0;
      for (const part of (await orNull(readdir(folder))) ?? []) {
        signal?.throwIfAborted();
        for (const name of (await orNull(readdir(join(folder, part)))) ?? []) {
          const file = join(folder, part, name);
          // Another process may delete the same file.
          const found = await orNull(stat(file));
          if (!found || ageOf(found) <= UNUSED_MS) continue;
          await rm(file, { force: true });
          removed += 1;
        }
      }
      return removed;
    },
  };
}
