import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from './text-edit.ts';

/** Largest file that is read, in bytes: agents keep histories in theirs. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Links that are followed to a file that is not there yet. */
const MAX_LINKS = 8;

/** A file of configuration as it was read. */
export type ConfigFile = {
  /** Where it really is, links followed. */
  real: string;
  /** Null when there is none. */
  text: string | null;
  mode: number;
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Where a file is, or would be: people keep theirs elsewhere and link to it. */
async function placeOf(file: string, links = MAX_LINKS): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw new ConfigError(`${file} cannot be reached.`);
  }
  const stats = await lstat(file).catch(() => null);
  if (!stats?.isSymbolicLink()) return file;
  if (links === 0) throw new ConfigError(`${file} is a link that leads nowhere.`);
  return placeOf(path.resolve(path.dirname(file), await readlink(file)), links - 1);
}

/** Reads a file of configuration. @throws ConfigError for what is no plain file of UTF-8 text */
export async function readConfig(file: string): Promise<ConfigFile> {
  const real = await placeOf(file);
  const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error) => {
    if (isMissing(error)) return null;
    throw new ConfigError(`${file} cannot be read.`);
  });
  if (!handle) return { real, text: null, mode: 0o600 };
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new ConfigError(`${file} is no file of text.`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    return { real, text, mode: stats.mode & 0o777 };
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(`${file} is not UTF-8.`);
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Puts a text in the place of a file, whole or not at all, unless another program has changed it since it was read. Its mode stays; a
 * new file is for its owner alone.
 * @param text null removes the file
 * @throws ConfigError when it was changed meanwhile
 */
export async function writeConfig(read: ConfigFile, text: string | null): Promise<void> {
  const { real, mode } = read;
  await mkdir(path.dirname(real), { recursive: true, mode: 0o700 });
  const draft = path.join(
    path.dirname(real),
    `.${path.basename(real)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  const handle = await open(draft, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text ?? '');
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readConfig(real)).text !== read.text)
      throw new ConfigError(`${real} was changed meanwhile, and was left as it is. Try again.`);
    if (text === null) await rm(real, { force: true });
    else await rename(draft, real);
  } finally {
    await rm(draft, { force: true });
  }
}
