import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { checkApp, type Mode } from '../check-app.ts';
import { failed, usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import type { OpenedApp } from '../io/opened-app.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { applyFixes, type Fixed } from './apply-fixes.ts';

function manifestPath(cwd: string, shown: string, { kind }: OpenedApp): string {
  const full = path.resolve(cwd, shown);
  if (kind === 'manifest') return full;
  if (kind === 'folder' || kind === 'unpackable') return path.join(full, MANIFEST_FILE);
  throw usageError(`${shown} is a bundle. --fix works on a folder or a ${MANIFEST_FILE}.`);
}

/**
 * Replaces the manifest with the fixed one. A symbolic link is refused: renaming would replace the link with a file, and following
 * it would write outside the folder.
 */
async function replace(file: string, shown: string, old: Uint8Array, text: string): Promise<void> {
  const stats = await lstat(file);
  if (!stats.isFile())
    throw usageError(`${shown} is a symbolic link. Run --fix on the file that it points to.`);
  if (!(await readFile(file)).equals(old)) {
    throw failed(`${shown} changed during --fix, so nothing was written. Run the command again.`);
  }
  await writeAtomic(file, text, undefined, { exactMode: stats.mode & 0o777 });
}

const cannotWrite = (shown: string, error: NodeJS.ErrnoException): Error =>
  error.code === undefined
    ? error
    : usageError(`Cannot write the manifest of ${shown} (${error.code}).`, { cause: error });

/**
 * Fixes the manifest of a PATH on disk. Writes nothing when there is nothing to fix.
 * @returns the applied fixes
 * @throws CommandError with exit code 2 for a bundle or a symbolic link, and when the manifest cannot be read or written
 */
export async function fixFile(cwd: string, shown: string, mode: Mode): Promise<Fixed[]> {
  const opened = await openApp(cwd, shown, 'check');
  const file = manifestPath(cwd, shown, opened);
  const { source, entries } = await checkApp(opened, { mode });
  const fixed = source && applyFixes(source, { mode, entries });
  if (fixed === undefined || fixed.fixed.length === 0) return [];
  await replace(file, shown, source as Uint8Array, fixed.text).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite(shown, error);
  });
  return fixed.fixed;
}
