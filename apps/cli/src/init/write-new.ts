import { lstat, mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../failure.ts';

const statOf = (file: string) =>
  lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Existing files that would be overwritten, and existing files where a folder is needed. */
async function conflictsIn(root: string, names: Iterable<string>): Promise<string[]> {
  const conflicts = new Set<string>();
  for (const name of names) {
    const folder = path.dirname(name);
    const stats = folder === '.' ? undefined : await statOf(path.join(root, folder));
    // A symbolic link counts as a conflict too.
    if (stats && !stats.isDirectory()) conflicts.add(folder);
    else if (await statOf(path.join(root, name))) conflicts.add(name);
  }
  return [...conflicts];
}

/** Creates a folder and its parents. Returns the folders that were created, the outermost first. */
async function makeFolder(folder: string): Promise<string[]> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return [];
  const created = [folder];
  for (let at = folder; at !== first; ) {
    at = path.dirname(at);
    created.unshift(at);
  }
  return created;
}

/**
 * Writes new files into a folder, and creates the folder: all files, or none.
 * @param files contents by path, with forward slashes, relative to the folder
 * @throws CommandError with exit code 2 when a file exists already, or the folder cannot be written to
 */
export async function writeNew(
  root: string,
  shown: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const conflicts = await conflictsIn(root, files.keys());
    if (conflicts.length > 0)
      throw usageError(`${shown} already contains ${conflicts.join(', ')}; nothing was written.`);
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
    throw usageError(`Cannot write to ${shown} (${code}); nothing was written.`, { cause: error });
  }
}
