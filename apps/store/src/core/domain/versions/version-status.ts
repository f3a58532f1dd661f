import type { Footprint, PermissionDiff, VersionStatus } from '@svc/contracts';
import { footprintOf, permissionDiff } from '@svc/permissions';
import { ApiError } from '../../../platform/api-error.ts';
import type { VersionRecord, VersionRef } from './version-record.ts';
import type { VersionStore } from './version-store.ts';

type Footprinted = Pick<VersionRecord, 'manifest' | 'files'>;

/** The footprint of an uploaded version: everything that users agree to, with the hashes of its icon and mark. */
export const footprintOfVersion = ({ manifest, files }: Footprinted): Footprint =>
  footprintOf(manifest, (path) => files.find((file) => file.path === path)?.sha256 ?? null);

/** Compares the footprints of two versions. @param base null for a first version */
export const diffOfVersions = (
  base: (Footprinted & { version: string }) | null,
  next: Footprinted,
): PermissionDiff =>
  permissionDiff(
    base && { version: base.version, footprint: footprintOfVersion(base) },
    footprintOfVersion(next),
  );

export const statusOf = ({
  appId,
  version,
  state,
  issues,
  notes,
  retracted,
  publishedAt,
}: VersionRecord): VersionStatus => ({
  appId,
  version,
  status: state,
  issues,
  notes,
  retracted,
  ...(publishedAt !== null && { publishedAt }),
});

/** The permission diff of a version, against no version when its check failed before the diff was computed. */
export const permissionDiffOf = (record: VersionRecord): PermissionDiff =>
  record.permissionDiff ?? diffOfVersions(null, record);

/**
 * Finds an uploaded version in any state.
 * @throws ApiError not_found
 */
export async function requireVersion(versions: VersionStore, ref: VersionRef): Promise<VersionRecord> {
  const record = await versions.find(ref);
  if (record) return record;
  throw new ApiError('not_found', `No version ${ref.version} of ${ref.appId} was uploaded.`);
}
