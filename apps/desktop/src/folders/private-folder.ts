import type { Dirent } from 'node:fs';
import { opendir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

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

/** Limits of a search: entries that are looked at, levels of folders, and files that are returned. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 12;
const MAX_FOUND = 8;

/** A file with its path, its name, and its folder inside the one that the user shares; empty for that itself. */
type FoundFile = { path: string; name: string; folder: string };

/** Hidden ones often contain settings or passwords, and the packages of others are many. */
const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** Names that begin with the text come first, then those that contain it, then paths. */
function rankOf({ name, path }: FoundFile, text: string): number {
  const at = name.toLowerCase().indexOf(text);
  return (at === 0 ? 0 : at > 0 ? 10_000 : 20_000) + path.length;
}

type Left = { entries: number };

/** The entries of a folder that are not skipped, while some may be looked at. None of one that cannot be read. */
async function* entriesOf(folder: string, left: Left, signal: AbortSignal): AsyncGenerator<Dirent> {
  for await (const entry of await opendir(folder).catch(() => [])) {
    left.entries -= 1;
    if (left.entries < 0 || signal.aborted) return;
    if (!isSkipped(entry.name)) yield entry;
  }
}

/** The files of a folder and the folders in it, the nearest first. */
async function* filesIn(root: string, left: Left, signal: AbortSignal): AsyncGenerator<string> {
  const folders = [{ folder: root, depth: 0 }];
  for (const { folder, depth } of folders) {
    for await (const entry of entriesOf(folder, left, signal)) {
      const path = join(folder, entry.name);
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && depth < MAX_DEPTH) folders.push({ folder: path, depth: depth + 1 });
    }
  }
}

/**
 * Finds files in folders by a part of their path, without hidden ones and without following links. A folder that cannot be read is passed by.
 * @param folders as the user named them
 * @param signal ends the search, which then returns what was found
 */
export async function findFiles(
  folders: readonly string[],
  query: string,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const text = query.toLowerCase();
  const left = { entries: MAX_ENTRIES };
  // By path: a folder may lie inside another.
  const found = new Map<string, FoundFile>();
  for (const root of await realFolders(folders)) {
    for await (const path of filesIn(root, left, signal)) {
      const shown = relative(root, path);
      if (shown.toLowerCase().includes(text) && !found.has(path))
        found.set(path, { path, name: basename(path), folder: relative(root, dirname(path)) });
    }
  }
  return [...found.values()].sort((a, b) => rankOf(a, text) - rankOf(b, text)).slice(0, MAX_FOUND);
}
