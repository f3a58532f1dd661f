import { lstat, mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../failure.ts';

const statOf = (file: string) =>
  lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** What is there already and would be written over; what is no folder and would have to be one. */
async function inTheWay(root: string, names: Iterable<string>): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const folder = path.dirname(name);
    const stats = folder === '.' ? undefined : await statOf(path.join(root, folder));
    // A link could lead anywhere.
    if (stats && !stats.isDirectory()) found.add(folder);
    else if (await statOf(path.join(root, name))) found.add(name);
  }
  return [...found];
}

/** Makes a folder with those above it; answers those that were not there, the outermost first. */
async function makeFolder(folder: string): Promise<string[]> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return [];
  const made = [folder];
  for (let at = folder; at !== first; ) {
    at = path.dirname(at);
    made.unshift(at);
  }
  return made;
}

/**
 * Writes new files into a folder, which is made when it is not there: all of them, or none.
 * @param files contents by path, with forward slashes, relative to the folder
 * @throws CommandError of wrong use when one of them is there already, or the folder cannot be written into
 */
export async function writeNew(
  root: string,
  shown: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const taken = await inTheWay(root, files.keys());
    if (taken.length > 0)
      throw usageError(`${shown} holds ${taken.join(', ')} already; nothing was written.`);
    for (const [name, content] of files) {
      const file = path.join(root, name);
      for (const folder of await makeFolder(path.dirname(file))) undo.push(() => rmdir(folder));
      await writeFile(file, content, { flag: 'wx' });
      undo.push(() => rm(file));
    }
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw usageError(`${shown} cannot be written into (${code}); nothing was written.`, { cause: error });
  }
}
