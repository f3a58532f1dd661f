import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { requireVersion } from './version-status.ts';
import type { VersionRef, VersionStore } from './version-store.ts';

/**
 * Opens the zip of an uploaded version in any state, for the moderator who reviews it.
 * @throws ApiError not_found
 */
export async function openForReview(deps: { versions: VersionStore; blobs: BlobStore }, ref: VersionRef) {
  const record = await requireVersion(deps.versions, ref);
  const blob = await deps.blobs.open(record.sha256);
  if (!blob) throw new Error('The bytes of an uploaded version are missing.');
  return { record, blob };
}

/**
 * Opens a picture that the branding of an uploaded version names, in any state.
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
