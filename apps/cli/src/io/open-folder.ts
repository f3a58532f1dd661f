import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type BundleEntries, packBundle } from '@svc/bundle';
import { FolderError, readFolder } from '@svc/bundle/folder';
import type { Issue } from '@svc/contracts';
import { LIMITS, MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { usageError } from '../failure.ts';
import type { OpenedApp, Purpose } from './opened-app.ts';

/** The most folders in a wrong one that are looked into. */
const MAX_LOOKED_INTO = 100;

/** Faults in the contents of a folder; other faults mean that the PATH itself is wrong. */
const FAULTS_WITHIN: ReadonlySet<string> = new Set(['link', 'special', 'too-many', 'too-large']);

/**
 * Packs files. A bundle that is only checked is not compressed: compression takes longer than all checks, and the findings are
 * the same unless the size matters.
 */
function bundleOf(entries: BundleEntries, purpose: Purpose): Uint8Array {
  const stored = purpose === 'check' ? packBundle(entries, { stored: true }) : undefined;
  return stored && stored.length <= LIMITS.bundle.bytes ? stored : packBundle(entries);
}

const hasManifest = (folder: string): Promise<boolean> =>
  access(path.join(folder, MANIFEST_FILE)).then(
    () => true,
    () => false,
  );

/** Why a folder without a manifest is no app, with the folder that was probably meant: the one around it, or the only app in it. */
async function wrongFolder(full: string, shown: string): Promise<string> {
  const folders = await readdir(full, { withFileTypes: true }).catch(() => []);
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found: string[] = [];
  for (const name of ['..', ...names.slice(0, MAX_LOOKED_INTO)])
    if (await hasManifest(path.join(full, name))) found.push(path.join(shown, name));
  const meant = found.length === 1 ? ` Did you mean ${found[0]}?` : '';
  return `${shown} has no ${MANIFEST_FILE}: name the folder of the app.${meant}`;
}

/**
 * Packs a folder, so that it gets the same findings as its bundle.
 * @param full its absolute path
 * @param shown the path as the user wrote it
 * @throws CommandError with exit code 2 when the folder cannot be read
 */
export async function openFolder(full: string, shown: string, purpose: Purpose): Promise<OpenedApp> {
  const isApp = await hasManifest(full);
  if (!isApp && purpose === 'keep') throw usageError(await wrongFolder(full, shown));
  try {
    const { entries, leftOut } = await readFolder(full);
    return { kind: 'folder', bytes: bundleOf(entries, purpose), leftOut };
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    // A large folder is rather a wrong one than an app with a link.
    if (!isApp) throw usageError(await wrongFolder(full, shown), { cause: error });
    if (!FAULTS_WITHIN.has(error.fault))
      throw usageError(error.message.replaceAll(full, shown), { cause: error });
    const issue: Issue = { code: 'invalid_bundle', level: 'error', path: error.path, message: error.message };
    return { kind: 'unpackable', issues: [issue] };
  }
}
