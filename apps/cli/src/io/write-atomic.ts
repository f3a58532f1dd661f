import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file whole or not at all: into a new file beside it, then renamed over it.
 * @param mode permission bits, less those of the umask
 * @param options `exactMode` gives the file these bits whatever the umask says: those of the file it replaces
 * @throws what the file system throws; nothing is left behind then
 */
export async function writeAtomic(
  file: string,
  content: Uint8Array | string,
  mode = 0o666,
  { exactMode }: { exactMode?: number } = {},
): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  const draft = path.join(path.dirname(file), `.${path.basename(file).slice(0, 100)}.${suffix}.tmp`);
  // "wx" follows no link and takes over no file of another program.
  const handle = await open(draft, 'wx', exactMode ?? mode);
  try {
    try {
      await handle.writeFile(content);
      if (exactMode !== undefined) await handle.chmod(exactMode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
