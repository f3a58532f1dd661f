import type { BlobStore } from './blob-store.ts';
import { type CheckDeps, checkVersion } from './check-version.ts';
import { type SignDeps, signVersion } from './sign-version.ts';

/** Finishes what a process that died left behind: checks what was submitted, signs what was approved. */
export async function resumeVersions(deps: CheckDeps & SignDeps): Promise<void> {
  const mover = { by: 'checker', at: deps.clock().toISOString() };
  for (const record of await deps.versions.inState(['submitted'])) {
    await deps.versions.move(record, { from: 'submitted', to: 'checking' }, {}, mover);
  }
  for (const record of await deps.versions.inState(['checking'])) await checkVersion(deps, record);
  for (const record of await deps.versions.inState(['approved'])) await signVersion(deps, record);
}

/**
 * Removes bytes that no version speaks of: an upload wrote them and died before its row. Run it only while no upload
 * is under way.
 * @returns how many were removed
 */
export async function removeOrphans(deps: {
  blobs: BlobStore;
  knownHashes(): Promise<ReadonlySet<string>>;
}): Promise<number> {
  const known = await deps.knownHashes();
  let removed = 0;
  for await (const sha256 of deps.blobs.list()) {
    if (known.has(sha256)) continue;
    await deps.blobs.remove(sha256);
    removed += 1;
  }
  return removed;
}
