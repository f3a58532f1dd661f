import type { PermissionDiff, VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { diffOfVersions } from './version-footprint.ts';
import type { VersionRecord, VersionRef, VersionStore } from './version-store.ts';

/** A version as its developer follows it. */
export const statusOf = ({
  appId,
  version,
  state,
  issues,
  notes,
  retracted,
}: VersionRecord): VersionStatus => ({
  appId,
  version,
  status: state,
  issues,
  notes,
  retracted,
});

/** What a version may do beyond the one before it; beyond nothing, when its check failed before that was known. */
export const permissionDiffOf = (record: VersionRecord): PermissionDiff =>
  record.permissionDiff ?? diffOfVersions(null, record);

/**
 * An uploaded version, in whatever state.
 * @throws ApiError not_found
 */
export async function requireVersion(versions: VersionStore, ref: VersionRef): Promise<VersionRecord> {
  const record = await versions.find(ref);
  if (record) return record;
  throw new ApiError('not_found', `No version ${ref.version} of ${ref.appId} was uploaded.`);
}
