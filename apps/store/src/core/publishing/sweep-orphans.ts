import type { BlobStore } from '../../platform/blob-store.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { BlobLedger } from './blob-ledger.ts';
import { ownsBlobs } from './blob-owner.ts';

export type SweepDeps = Pick<Parts, 'blobs' | 'clock' | 'log' | 'newId'> & {
  unitOfWork: UnitOfWork<{ blobLedger: BlobLedger }>;
  blobLedger: BlobLedger;
};

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long orphaned blobs are kept, in milliseconds. An upload takes minutes; a day leaves time to notice that the database was
 * restored from a backup older than the blobs.
 */
const GRACE_MS = 24 * HOUR_MS;

/** Spooled files older than this are abandoned, in milliseconds: the server aborts uploads much earlier. */
const STAGED_MS = HOUR_MS;

/**
 * Blobs in one transaction. Deleting them blocks all writers, and the database aborts a transaction that is idle for ten seconds, so
 * the number is small.
 */
const BATCH = 20;

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

const isOlder = async (blobs: BlobStore, sha256: string, time: Date): Promise<boolean> => {
  const blob = await blobs.open(sha256);
  return blob !== null && blob.keptAt < time;
};

/**
 * Deletes the orphaned blobs of a batch. They are recorded as doomed first, and deleted in a transaction, in which no version can be
 * submitted. An upload of the same bytes finds the record when it submits, and checks whether the blobs still exist.
 */
async function sweepBatch(deps: SweepDeps, hashes: string[], before: Date): Promise<number> {
  const orphans: string[] = [];
  for (const sha256 of await deps.blobLedger.unused(hashes)) {
    if (await isOlder(deps.blobs, sha256, before)) orphans.push(sha256);
  }
  if (orphans.length === 0) return 0;
  await deps.unitOfWork(({ blobLedger }) => blobLedger.doom(orphans, deps.clock().toISOString()));
  return deps.unitOfWork(async ({ blobLedger }) => {
    let removed = 0;
    for (const sha256 of await blobLedger.unused(orphans)) {
      if (!(await isOlder(deps.blobs, sha256, before))) continue;
      await deps.blobs.remove(sha256);
      removed += 1;
    }
    return removed;
  });
}

/**
 * Deletes orphaned blobs, to which no version refers because their upload failed before its row was written. Safe during uploads, in
 * this process and in others.
 * @param graceMs the minimum age of deleted blobs, in milliseconds
 * @returns the number of deleted blobs
 * @throws when the signal is aborted
 */
export async function sweepOrphans(
  deps: SweepDeps,
  { graceMs = GRACE_MS, signal }: { graceMs?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const now = deps.clock().getTime();
  await deps.blobs.sweepStaged(new Date(now - Math.min(graceMs, STAGED_MS)));
  if (!(await ownsBlobs(deps))) return 0;
  await deps.unitOfWork(({ blobLedger }) =>
    blobLedger.purgeDoomed(new Date(now - 24 * HOUR_MS).toISOString()),
  );
  let removed = 0;
  for await (const batch of batchesOf(deps.blobs.list())) {
    signal?.throwIfAborted();
    removed += await sweepBatch(deps, batch, new Date(now - graceMs));
  }
  if (removed > 0) deps.log.info({ removed }, 'Orphaned files were deleted from the bundle storage.');
  return removed;
}
