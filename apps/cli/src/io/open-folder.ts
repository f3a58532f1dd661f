import { type BundleEntries, packBundle } from '@svc/bundle';
import { FolderError, readFolder } from '@svc/bundle/folder';
import type { Issue } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { usageError } from '../failure.ts';
import type { OpenedApp, Purpose } from './opened-app.ts';

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

/**
 * Packs a folder, so that it gets the same findings as its bundle.
 * @param full its absolute path
 * @param shown the path as the user wrote it
 * @throws CommandError with exit code 2 when the folder cannot be read
 */
export async function openFolder(full: string, shown: string, purpose: Purpose): Promise<OpenedApp> {
  try {
    const { entries, leftOut } = await readFolder(full);
    return { kind: 'folder', bytes: bundleOf(entries, purpose), leftOut };
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    if (!FAULTS_WITHIN.has(error.fault))
      throw usageError(error.message.replaceAll(full, shown), { cause: error });
    const issue: Issue = { code: 'invalid_bundle', level: 'error', path: error.path, message: error.message };
    return { kind: 'unpackable', issues: [issue] };
  }
}
