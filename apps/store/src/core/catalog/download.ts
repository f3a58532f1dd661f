import type { OriginStatement } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { openStored } from '../../platform/blob-store.ts';
import { type StateDeps, stateOrigin } from '../domain/versions/origin.ts';
import type { PublicFile, ServedVersion, VersionRef } from '../domain/versions/version-record.ts';
import type { FileMemory } from './file-memory.ts';
import { type TombstoneDeps, versionTombstone } from './tombstone.ts';

type DownloadDeps = TombstoneDeps & { files: Pick<FileMemory, 'open'> };

/**
 * Finds a version that the public may download.
 * @throws ApiError yanked; not_found for any other version that is not published, so that versions in review stay secret
 */
async function requirePublished(deps: TombstoneDeps, ref: VersionRef): Promise<ServedVersion> {
  const record = await deps.versions.served(ref);
  if (record?.state === 'yanked') throw await versionTombstone(deps, ref);
  // A suspended app is not listed, and none of its files are served.
  if (record?.state !== 'published' || !record.isListed) {
    throw new ApiError('not_found', `There is no published version ${ref.version} of ${ref.appId}.`);
  }
  return record;
}

/**
 * The zip of a published version.
 * @throws ApiError not_found, yanked
 */
export async function downloadBundle(deps: DownloadDeps, ref: VersionRef) {
  const record = await requirePublished(deps, ref);
  return { record, blob: await openStored(deps.files, record.sha256) };
}

/**
 * The statement from which store a published version comes.
 * @throws ApiError not_found for a version that was published here first; yanked
 */
export async function originOf(deps: TombstoneDeps & StateDeps, ref: VersionRef): Promise<OriginStatement> {
  const stated = stateOrigin(deps, await requirePublished(deps, ref));
  if (stated) return stated;
  throw new ApiError('not_found', 'This version comes from no other store: it was published here first.');
}

/**
 * The attestation of a published version.
 * @throws ApiError not_found, yanked
 */
export async function downloadAttestation(
  deps: TombstoneDeps,
  ref: VersionRef,
): Promise<{ text: string; sha256: string }> {
  const { sha256 } = await requirePublished(deps, ref);
  const text = await deps.versions.attestationOf(ref);
  if (text === null) throw new ApiError('not_found', 'This version has no attestation of its build.');
  return { text, sha256 };
}

const NOT_SERVED = {
  branding: 'Only the icon, the mark and the screenshots of a version are served.',
  readme: 'Only the pictures that the README of a version shows are served here.',
};

/**
 * A picture of a published version that its branding names, or one that its README shows. No other file of the bundle is served.
 * @throws ApiError not_found, yanked
 */
export async function downloadFile(
  deps: DownloadDeps,
  ref: VersionRef,
  path: string,
  of: keyof typeof NOT_SERVED = 'branding',
) {
  const { files } = await requirePublished(deps, ref);
  const file: PublicFile | undefined = files.find(
    (candidate) => candidate.path === path && (candidate.inReadme ?? false) === (of === 'readme'),
  );
  if (!file) throw new ApiError('not_found', NOT_SERVED[of]);
  return { file, blob: await openStored(deps.files, file.sha256) };
}
