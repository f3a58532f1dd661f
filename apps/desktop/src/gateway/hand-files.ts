import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { type HandedFile, RuntimeError } from '@svc/runtime';
import { isWithin, realFolders } from '../folders/private-folder.ts';

/** Most files of one call, and most bytes of a file. The runtime also checks the limits of the tool. */
const MAX_FILES = 20;
const MAX_BYTES = 256 * 1024 * 1024;

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

/** Advice for paths outside of the allowed folders. */
const ALLOW = 'The user can allow its folder on the desktop page, under Settings, Projects and folders.';

/** Whether a path is inside one of the folders, and not a folder itself. */
const isInside = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path !== folder && isWithin(path, folder));

/** The real path of a file in one of the folders. @throws RuntimeError `file-refused` */
async function realFile(path: string, folders: readonly string[]): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0'))
    throw refusal(`${JSON.stringify(path)} is not an absolute path.`);
  // The error is the same whether a path outside exists or not, so that agents cannot probe the file system.
  const real = await realpath(path).catch(() => null);
  if (real !== null && isInside(real, folders)) return real;
  if (real === null && isInside(path, folders)) throw refusal(`${path} does not exist.`);
  throw refusal(`${path} is not in the project's folder or an allowed folder. ${ALLOW}`);
}

/** Whether the opened file is still the one at the path, inside the folders: it may have been replaced. */
async function isUnchanged(handle: FileHandle, path: string, folders: readonly string[]): Promise<boolean> {
  const [opened, now] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(await realFile(path, folders), { bigint: true }),
  ]);
  return opened.dev === now.dev && opened.ino === now.ino;
}

/** Reads a file, up to the size that was checked. */
async function bytesOf(handle: FileHandle, size: number, path: string, most: number): Promise<Uint8Array> {
  if (size > most) throw new RuntimeError('too-large', `${path} is larger than ${most} bytes.`);
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

async function readOne(
  path: string,
  folders: readonly string[],
  project: string | null,
  most: number,
): Promise<HandedFile> {
  const real = await realFile(path, folders);
  // Without O_NONBLOCK, opening a FIFO would block. The path is already resolved, so O_NOFOLLOW refuses a new link.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(real, flags).catch(() => {
    throw refusal(`${path} cannot be read.`);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refusal(`${path} is not a regular file.`);
    if (!(await isUnchanged(handle, path, folders)))
      throw refusal(`${path} was replaced while it was opened.`);
    const bytes = await bytesOf(handle, stats.size, path, most);
    return { name: basename(path), bytes, origin: { path: real, project } };
  } finally {
    await handle.close();
  }
}

/** The folders that the user shares: that of a project, or null, and those that they allowed for all. */
export type SharedFolders = { project: string | null; allowed: readonly string[] };

/** The paths of an argument: one or a list. */
function pathsOf(param: string, value: unknown): string[] {
  const paths = Array.isArray(value) ? value : [value];
  if (paths.every((path): path is string => typeof path === 'string')) return paths;
  throw refusal(`${param} takes an absolute path, or a list of them.`);
}

/**
 * Reads the files that an agent or the user names by path. Each must be a regular file inside one of the folders, with all links resolved. It is read
 * from the handle that was checked.
 * @param wanted paths by argument
 * @param folders the folder of the project, or null, and the allowed folders
 * @param most bytes of a file
 * @throws RuntimeError `file-refused`, `too-large`
 */
export async function handFiles(
  wanted: Readonly<Record<string, unknown>>,
  { project, allowed }: SharedFolders,
  most = MAX_BYTES,
): Promise<Record<string, HandedFile[]>> {
  const paths = Object.entries(wanted).map(([param, value]) => ({ param, paths: pathsOf(param, value) }));
  if (paths.reduce((sum, { paths: { length } }) => sum + length, 0) > MAX_FILES)
    throw new RuntimeError('too-many', `A call can have at most ${MAX_FILES} files.`);
  const [own = null] = await realFolders(project === null ? [] : [project]);
  const real = [...(own === null ? [] : [own]), ...(await realFolders(allowed))];
  const handed: Record<string, HandedFile[]> = {};
  for (const { param, paths: paramPaths } of paths) {
    const files: HandedFile[] = [];
    for (const path of paramPaths) files.push(await readOne(path, real, own, most));
    handed[param] = files;
  }
  return handed;
}
