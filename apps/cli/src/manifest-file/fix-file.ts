import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { checkApp, type Mode } from '../check-app.ts';
import { failed, usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import type { OpenedApp } from '../io/opened-app.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { applyFixes, type Fixed } from './apply-fixes.ts';

/** Where the manifest of an opened PATH lies on disk. */
function manifestPath(cwd: string, shown: string, { kind }: OpenedApp): string {
  const full = path.resolve(cwd, shown);
  if (kind === 'manifest') return full;
  if (kind === 'folder' || kind === 'unpackable') return path.join(full, MANIFEST_FILE);
  throw usageError(
    `${shown} is a bundle: --fix changes a folder or a ${MANIFEST_FILE}, of which a bundle is packed.`,
  );
}

/**
 * Writes the fixed manifest over the one it was made from. Renaming would put a file in the place of a link, and
 * following the link would write outside of the folder, so a link is refused.
 */
async function replace(file: string, shown: string, old: Uint8Array, text: string): Promise<void> {
  const stats = await lstat(file);
  if (!stats.isFile()) throw usageError(`${shown} is a symbolic link: name the file itself to --fix.`);
  if (!(await readFile(file)).equals(old)) {
    throw failed(`${shown} changed while it was being fixed, so nothing was written. Run it again.`);
  }
  await writeAtomic(file, text, undefined, { exactMode: stats.mode & 0o777 });
}

const cannotWrite = (shown: string, error: NodeJS.ErrnoException): Error =>
  error.code === undefined
    ? error
    : usageError(`The manifest of ${shown} cannot be written (${error.code}).`, { cause: error });

/**
 * Fixes the manifest that a PATH names or holds, on disk. Nothing is written when nothing is to be fixed.
 * @returns what was fixed
 * @throws CommandError of wrong use for a bundle or a link, and when there is nothing to read or no right to write
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
