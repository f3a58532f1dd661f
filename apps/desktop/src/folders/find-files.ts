import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { realFolders } from './private-folder.ts';

/** Limits of a search: entries that are looked at, levels of folders, and files that are returned. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 12;
const MAX_FOUND = 8;

/** A file with its path, its name, and its folder inside the one that the user shares; empty for that itself. */
export type FoundFile = { path: string; name: string; folder: string };

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
