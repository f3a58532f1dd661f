import { z } from 'zod';
import type { BlobStore } from '../../platform/blob-store.ts';

/** The last run of `svc-store backup verify`, as it is kept beside the bundles. */
const BackupCheck = z.object({
  /** When the last good backup was taken, ISO 8601 in UTC; null when there was none. */
  takenAt: z.iso.datetime().nullable(),
  checkedAt: z.iso.datetime(),
  /** Why the one that was looked at last cannot be restored; null when it can. */
  fault: z.string().max(2_000).nullable(),
});
export type BackupCheck = z.infer<typeof BackupCheck>;

/** Reads what `svc-store backup verify` found last; null when it never ran, or the storage cannot be asked now. */
export async function lastBackupCheck(blobs: Pick<BlobStore, 'keptRecord'>): Promise<BackupCheck | null> {
  try {
    return BackupCheck.parse(JSON.parse((await blobs.keptRecord('backup')) ?? ''));
  } catch {
    return null;
  }
}
