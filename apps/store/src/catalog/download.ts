import type { ListingStore } from '../domain/listings/listing-store.ts';
import type {
  PublicFile,
  VersionRecord,
  VersionRef,
  VersionStore,
} from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { BlobStore } from '../platform/blob-store.ts';

type DownloadDeps = { versions: VersionStore; listings: ListingStore; blobs: BlobStore };

/**
 * A version that the public may have.
 * @throws ApiError yanked, or not_found for all that is not published, so that nothing tells what waits in review
 */
async function requirePublished(deps: DownloadDeps, ref: VersionRef): Promise<VersionRecord> {
  const record = await deps.versions.find(ref);
  if (record?.state === 'yanked') {
    throw new ApiError('yanked', `Version ${ref.version} of ${ref.appId} was withdrawn: ${record.notes}`);
  }
  // An app that is suspended is not listed, and nothing of it is served.
  if (record?.state !== 'published' || !(await deps.listings.isListed(ref.appId))) {
    throw new ApiError('not_found', `There is no published version ${ref.version} of ${ref.appId}.`);
  }
  return record;
}

async function openBlob(blobs: BlobStore, sha256: string) {
  const blob = await blobs.open(sha256);
  if (!blob) throw new Error('A published version has lost its bytes.');
  return blob;
}

/**
 * The zip of a published version.
 * @throws ApiError not_found, yanked
 */
export async function downloadBundle(deps: DownloadDeps, ref: VersionRef) {
  const record = await requirePublished(deps, ref);
  return { record, blob: await openBlob(deps.blobs, record.sha256) };
}

/**
 * A picture that the branding of a published version names; no other file of the bundle is served.
 * @throws ApiError not_found, yanked
 */
export async function downloadFile(deps: DownloadDeps, ref: VersionRef, path: string) {
  const { files } = await requirePublished(deps, ref);
  const file: PublicFile | undefined = files.find((candidate) => candidate.path === path);
  if (!file)
    throw new ApiError('not_found', 'Only the icon, the mark and the screenshots of a version are served.');
  return { file, blob: await openBlob(deps.blobs, file.sha256) };
}
