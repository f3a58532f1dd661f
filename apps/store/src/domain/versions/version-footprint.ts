import type { Footprint, PermissionDiff } from '@svc/contracts';
import { footprintOf, permissionDiff } from '@svc/permissions';
import type { VersionRecord } from './version-store.ts';

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
