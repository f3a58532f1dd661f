import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { type HandedFile, RuntimeError } from '@svc/runtime';
import { isWithin } from '../folders/is-within.ts';

/** Files of one call, and bytes of one of them: the runtime says what a tool takes, this what is read at all. */
const MAX_FILES = 20;
const MAX_BYTES = 256 * 1024 * 1024;

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

/** What to do about a path that is outside. */
const ALLOW = 'The person can allow its folder in the desktop page, under Settings, Projects and folders.';

/** Folders as they really are; one that is gone allows nothing. */
async function realFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.allSettled(folders.map((folder) => realpath(folder)));
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** Whether a path is in one of the folders; a folder itself is no file of it. */
const isInside = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path !== folder && isWithin(path, folder));

/** Where a path really leads, when that is in one of the folders. */
async function placeOf(path: string, folders: readonly string[]): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0'))
    throw refusal(`${JSON.stringify(path)} is not an absolute path.`);
  // A path outside is told the same whether something is there or not: agents shall not look around with this.
  const real = await realpath(path).catch(() => null);
  if (real !== null && isInside(real, folders)) return real;
  if (real === null && isInside(path, folders)) throw refusal(`There is no file at ${path}.`);
  throw refusal(`${path} is not within the project's folder or one that was allowed. ${ALLOW}`);
}

/** Whether what was opened is what the path leads to, still within the folders: it may have been exchanged meanwhile. */
async function isStillThere(handle: FileHandle, path: string, folders: readonly string[]): Promise<boolean> {
  const [opened, now] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(await placeOf(path, folders), { bigint: true }),
  ]);
  return opened.dev === now.dev && opened.ino === now.ino;
}

/** Reads no more than allowed, whatever size the file said it had. */
async function bytesOf(handle: FileHandle, size: number, path: string): Promise<Uint8Array> {
  if (size > MAX_BYTES) throw new RuntimeError('too-large', `${path} is larger than ${MAX_BYTES} bytes.`);
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

async function handOne(path: string, folders: readonly string[]): Promise<HandedFile> {
  const real = await placeOf(path, folders);
  // Without NONBLOCK a FIFO would keep the call waiting for a writer; what it leads to was found before, so no link is left.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(real, flags).catch(() => {
    throw refusal(`The file at ${path} cannot be read.`);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refusal(`There is no plain file at ${path}.`);
    if (!(await isStillThere(handle, path, folders)))
      throw refusal(`The file at ${path} was exchanged while it was opened.`);
    return { name: basename(path), bytes: await bytesOf(handle, stats.size, path) };
  } finally {
    await handle.close();
  }
}

/** The paths of an argument: one, or a list. */
function pathsOf(param: string, value: unknown): string[] {
  const paths = Array.isArray(value) ? value : [value];
  if (paths.every((path): path is string => typeof path === 'string')) return paths;
  throw refusal(`${param} takes an absolute path, or a list of them.`);
}

/**
 * Reads the files that an agent names by their paths. Each must lie in one of the folders once all links are followed, be a
 * plain file, and is read from the handle that was checked, so that what is checked is what is read.
 * @param wanted paths by argument
 * @param folders that the person allowed
 * @throws RuntimeError `file-refused`, `too-large`
 */
export async function handFiles(
  wanted: Readonly<Record<string, unknown>>,
  folders: readonly string[],
): Promise<Record<string, HandedFile[]>> {
  const paths = Object.entries(wanted).map(([param, value]) => ({ param, paths: pathsOf(param, value) }));
  if (paths.reduce((sum, { paths: { length } }) => sum + length, 0) > MAX_FILES)
    throw new RuntimeError('too-many', `A call hands over ${MAX_FILES} files at most.`);
  const real = await realFolders(folders);
  const handed: Record<string, HandedFile[]> = {};
  for (const { param, paths: each } of paths) {
    const files: HandedFile[] = [];
    for (const path of each) files.push(await handOne(path, real));
    handed[param] = files;
  }
  return handed;
}
