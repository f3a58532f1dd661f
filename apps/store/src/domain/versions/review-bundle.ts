import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { requireVersion } from './version-status.ts';
import type { VersionRef, VersionStore } from './version-store.ts';

/**
 * The zip of an uploaded version in whatever state, for the moderator who judges it.
 * @throws ApiError not_found
 */
export async function openForReview(deps: { versions: VersionStore; blobs: BlobStore }, ref: VersionRef) {
  const record = await requireVersion(deps.versions, ref);
  const blob = await deps.blobs.open(record.sha256);
  if (!blob) throw new Error('An uploaded version has lost its bytes.');
  return { record, blob };
}

/**
 * A picture that the branding of an uploaded version names, in whatever state it is.
 * @throws ApiError not_found
 */
export async function openPictureForReview(
  deps: { versions: VersionStore; blobs: BlobStore },
  ref: VersionRef,
  path: string,
) {
  const { files } = await requireVersion(deps.versions, ref);
  const file = files.find((candidate) => candidate.path === path);
  const blob = file && (await deps.blobs.open(file.sha256));
  if (!blob) {
    throw new ApiError('not_found', 'Only the icon, the mark and the screenshots of a version are served.');
  }
  return { file, blob };
}
