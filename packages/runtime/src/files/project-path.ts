import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RuntimeError } from '../platform/runtime-error.ts';
import { safeName } from './safe-name.ts';

/** Maximum folder depth of a file in a project. */
const MAX_FOLDERS = 8;

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

/**
 * Splits a path within a project. Invalid paths are refused, never corrected: the user reads the path on a card, and exactly that
 * path is used. Hidden files and folders are refused: developer tools run them, or read their configuration from them.
 */
function projectParts(path: string): string[] {
  const parts = path.split('/');
  if (parts.length > MAX_FOLDERS + 1) throw refusal('The path is too deep.');
  if (parts.some((part) => part === '' || safeName(part) !== part))
    throw refusal('The path is not a valid file path.');
  return parts;
}

/** The stats of a path, without following links; null if it does not exist. */
async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Where a file of a project will be saved, and whether it exists. */
export type SaveTarget = { folder: string; name: string; exists: boolean };

/**
 * Resolves a path in an existing project folder. Every parent must be a real folder and no link, so that the file is where its
 * path says.
 * @throws RuntimeError `file-refused` for a missing or linked folder, and for anything that is not a regular file
 */
export async function saveTargetIn(project: string, path: string): Promise<SaveTarget> {
  const parts = projectParts(path);
  const name = parts.at(-1) ?? '';
  let folder = await realpath(project);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const stats = await statOf(folder);
    if (!stats) throw refusal('There is no such folder in the project.');
    if (!stats.isDirectory()) throw refusal('A part of the path is not a folder.');
  }
  // On case-insensitive or Unicode-normalizing file systems the path could name a different folder.
  const real = await realpath(folder);
  if (real !== folder && !real.startsWith((await realpath(project)) + sep))
    throw refusal('The path leads out of the project.');
  const stats = await statOf(join(folder, name));
  if (stats && !stats.isFile()) throw refusal('The path exists and is not a file.');
  return { folder, name, exists: stats !== null };
}
