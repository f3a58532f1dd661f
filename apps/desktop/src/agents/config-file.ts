import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/runtime/parts';
import { ConfigError } from './text-edit.ts';

/** Largest file that is read, in bytes: some agents store their history in it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Most symbolic links that are followed to a file that does not exist yet. */
const MAX_LINKS = 8;

/** A configuration file as it was read. */
export type ConfigFile = {
  /** Its real path, with symbolic links resolved. */
  real: string;
  /** Null if the file does not exist. */
  text: string | null;
  mode: number;
  /** Whether the file belongs to this user. */
  isOwn: boolean;
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The real path of a file, which may not exist yet: users link to files that they keep elsewhere. */
async function resolveLinks(file: string, links = MAX_LINKS): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw new ConfigError(`${file} cannot be accessed.`);
  }
  const stats = await lstat(file).catch(() => null);
  if (!stats?.isSymbolicLink()) return file;
  if (links === 0) throw new ConfigError(`${file} is a symbolic link with no target.`);
  return resolveLinks(path.resolve(path.dirname(file), await readlink(file)), links - 1);
}

/** Reads a configuration file. @throws ConfigError for anything but a regular file of UTF-8 text */
export async function readConfig(file: string): Promise<ConfigFile> {
  const real = await resolveLinks(file);
  const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error) => {
    if (isMissing(error)) return null;
    throw new ConfigError(`${file} cannot be read.`);
  });
  if (!handle) return { real, text: null, mode: 0o600, isOwn: true };
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new ConfigError(`${file} is not a text file.`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    const own = process.getuid?.() ?? stats.uid;
    return { real, text, mode: stats.mode & 0o777, isOwn: stats.uid === own };
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(`${file} is not UTF-8 text.`);
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file atomically, unless another program has changed it since it was read. Its mode is kept; a new file, and one that gets
 * a secret, is readable by its owner only.
 * @param text null deletes the file
 * @throws ConfigError if the file has changed, or gets a secret and belongs to another user
 */
export async function writeConfig(
  read: ConfigFile,
  text: string | null,
  { hasSecret = false } = {},
): Promise<void> {
  const { real, isOwn } = read;
  if (hasSecret && !isOwn)
    throw new ConfigError(
      `${real} belongs to another user, who could read the bearer. Connect without --http.`,
    );
  const mode = hasSecret ? read.mode & 0o700 : read.mode;
  makePrivateFolder(path.dirname(real));
  const draft = path.join(
    path.dirname(real),
    `.${path.basename(real)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  const handle = await newPrivateFile(draft);
  try {
    try {
      await handle.writeFile(text ?? '');
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readConfig(real)).text !== read.text)
      throw new ConfigError(
        `${real} was changed by another program, and svc did not write to it. Try again.`,
      );
    if (text === null) await rm(real, { force: true });
    else await rename(draft, real);
  } finally {
    await rm(draft, { force: true });
  }
}
