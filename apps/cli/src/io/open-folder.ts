import { type BundleEntries, packBundle } from '@svc/bundle';
import { FolderError, readFolder } from '@svc/bundle/folder';
import type { Issue } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { usageError } from '../failure.ts';
import type { OpenedApp, Purpose } from './opened-app.ts';

/** Faults of a folder that lie in what it holds; the others mean that the PATH itself is wrong. */
const FAULTS_WITHIN: ReadonlySet<string> = new Set(['link', 'special', 'too-many', 'too-large']);

/**
 * The bundle of some files. One that is only checked is not deflated: that takes longer than all the checks, and the
 * answers are the same unless it is a matter of size.
 */
function bundleOf(entries: BundleEntries, purpose: Purpose): Uint8Array {
  const stored = purpose === 'check' ? packBundle(entries, { stored: true }) : undefined;
  return stored && stored.length <= LIMITS.bundle.bytes ? stored : packBundle(entries);
}

/**
 * Packs a folder, so that it gets the answers its bundle would.
 * @param full its path on disk
 * @param shown the path as the user wrote it
 * @throws CommandError of wrong use when the folder cannot be read
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
