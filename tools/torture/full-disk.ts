import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mountMemory, unmount } from './mounts.ts';
import type { Backend } from './site.ts';

/** A store is ready only with space for the largest upload, 25 MiB. */
const VOLUME_BYTES = 64 * 1024 * 1024;

const fillerIn = (folder: string): string => join(folder, 'filler');

/** Fills a file system up to the given number of free bytes; fewer when the store writes at the same time. */
export async function fill(folder: string, room: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const bytes = Buffer.alloc(Math.max(0, bavail * bsize - room));
  await writeFile(fillerIn(folder), bytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
}

/** Frees the space again. */
export const makeRoom = (folder: string): Promise<void> => rm(fillerIn(folder), { force: true });

/** The same back end with its data folder on a small in-memory file system that can get full. */
export const onSmallDisk = (backend: Backend): Backend => ({
  ...backend,
  async open() {
    const site = await backend.open();
    const folder = site.settings().SVC_DATA_DIR as string;
    await mkdir(folder, { recursive: true });
    await mountMemory(folder, VOLUME_BYTES);
    return {
      ...site,
      async close() {
        await unmount(folder);
        await site.close();
      },
    };
  },
});
