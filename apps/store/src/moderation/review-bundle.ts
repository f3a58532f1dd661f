import type { BlobStore } from '../publishing/blob-store.ts';
import { requireVersion } from '../publishing/version-status.ts';
import type { VersionRef, VersionStore } from '../publishing/version-store.ts';

/**
 * The zip of an uploaded version in whatever state, for whoever has to judge it.
 * @throws Refusal not_found
 */
export async function openForReview(deps: { versions: VersionStore; blobs: BlobStore }, ref: VersionRef) {
  const record = await requireVersion(deps.versions, ref);
  const blob = await deps.blobs.open(record.sha256);
  if (!blob) throw new Error('An uploaded version has lost its bytes.');
  return { record, blob };
}
