import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file atomically: to a temporary file in the same folder, which is then renamed.
 * @param mode permission bits, masked by the umask
 * @param options `exactMode` sets these permission bits regardless of the umask, such as those of the replaced file
 * @throws the error of the file system; the temporary file is deleted then
 */
export async function writeAtomic(
  file: string,
  content: Uint8Array | string,
  mode = 0o666,
  { exactMode }: { exactMode?: number } = {},
): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  const draft = path.join(path.dirname(file), `.${path.basename(file).slice(0, 100)}.${suffix}.tmp`);
  // "wx" follows no symbolic link and fails when the file exists.
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
