import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Whether a path is a folder or inside it. Both must be real paths, without symbolic links. */
export function isWithin(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}

/** Folders of the system, with everything in them. */
const SYSTEM = ['/etc', '/proc', '/sys', '/boot'];
/** Folders that contain those of many programs or users. */
const WIDE = [
  '/bin',
  '/dev',
  '/home',
  '/lib',
  '/mnt',
  '/opt',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/tmp',
  '/usr',
  '/var',
  '/Users',
];
/** Folders of a user that contain keys and passwords. */
const KEYS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.mozilla',
  '.local/share/keyrings',
];

/**
 * Whether a folder may not be a project's folder, nor one that agents may pass files from: the root of a file system, a folder of the
 * system, the user's home folder or one around it, and folders of keys.
 * @param folder a real path
 */
export function isPrivateFolder(folder: string, home: string = homedir()): boolean {
  if (dirname(folder) === folder || WIDE.includes(folder) || isWithin(home, folder)) return true;
  return [...SYSTEM, ...KEYS.map((name) => join(home, name))].some((one) => isWithin(folder, one));
}

/** The real paths of folders. Folders that are missing, or that no project may have, are dropped. */
export async function realFolders(folders: readonly string[]): Promise<string[]> {
  const results = await Promise.allSettled(folders.map((folder) => realpath(folder)));
  const real = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return real.filter((folder) => !isPrivateFolder(folder));
}
