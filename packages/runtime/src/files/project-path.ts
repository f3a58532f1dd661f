import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RuntimeError } from '../platform/runtime-error.ts';
import { safeName } from './safe-name.ts';

/** Folders between a project and a file in it. */
const MAX_FOLDERS = 8;

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

/**
 * A path within a project, as parts. Nothing is fixed: a person reads the path on a card, and it must be what is meant. Hidden
 * files and folders are never written: they are what tools of a developer run, or are set up by.
 */
function projectParts(path: string): string[] {
  const parts = path.split('/');
  if (parts.length > MAX_FOLDERS + 1) throw refusal('The path is too deep.');
  if (parts.some((part) => part === '' || safeName(part) !== part))
    throw refusal('The path is not one of a plain file.');
  return parts;
}

/** What is at a path, without following it; null for nothing. */
async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Where a file of a project is, and whether it is there. */
export type SaveTarget = { folder: string; name: string; exists: boolean };

/**
 * Where a path leads in a project whose folder is there. Every folder on the way is a folder and no link, so that the file is
 * where its path says.
 * @throws RuntimeError `file-refused` for a folder that is missing or a link, and for what is no plain file
 */
export async function saveTargetIn(project: string, path: string): Promise<SaveTarget> {
  const parts = projectParts(path);
  const name = parts.at(-1) ?? '';
  let folder = await realpath(project);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const stats = await statOf(folder);
    if (!stats) throw refusal('There is no such folder in the project.');
    if (!stats.isDirectory()) throw refusal('The path leads over something that is no folder.');
  }
  // On file systems without case, or with several forms of a letter, the name of a folder may have been another's.
  const real = await realpath(folder);
  if (real !== folder && !real.startsWith((await realpath(project)) + sep))
    throw refusal('The path leads out of the project.');
  const stats = await statOf(join(folder, name));
  if (stats && !stats.isFile()) throw refusal('There is something else than a file already.');
  return { folder, name, exists: stats !== null };
}
