import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RasterCache } from '../../pictures/rasters.ts';

const HASH = /^[0-9a-f]{64}$/;

/** Keeps drawings as files under the data folder. They may be removed at any time: they are drawn again when asked for. */
export function openRasterFolder(dataDir: string, newName: () => string): RasterCache {
  const folder = join(dataDir, 'rasters');
  const fileOf = (sha256: string): string => {
    if (!HASH.test(sha256)) throw new Error('The name is not a hash.');
    return join(folder, sha256.slice(0, 2), `${sha256}.png`);
  };
  return {
    async get(sha256) {
      try {
        return await readFile(fileOf(sha256));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async put(sha256, png) {
      const file = fileOf(sha256);
      await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
      const making = `${file}.${newName()}`;
      await writeFile(making, png, { mode: 0o600 });
      await rename(making, file);
    },
  };
}
