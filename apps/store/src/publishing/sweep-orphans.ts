import type { BlobStore } from '../platform/blob-store.ts';
import type { Clock, Log, UnitOfWork } from '../platform/system.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import type { BlobLedger } from './blob-ledger.ts';
import { ownsBlobs } from './blob-owner.ts';

export type SweepDeps = {
  unitOfWork: UnitOfWork<{ blobLedger: BlobLedger }>;
  blobLedger: BlobLedger;
  blobs: BlobStore;
  clock: Clock;
  log: Log;
  newId(): string;
};

const HOUR_MS = 60 * 60 * 1000;

/**
 * How long bytes that no version refers to are left alone, in milliseconds. An upload takes minutes; a day leaves time
 * to notice that the database was brought back from a backup older than its bytes.
 */
const GRACE_MS = 24 * HOUR_MS;

/** Uploads that were on their way in for longer than this are dead: the server gives up on them much earlier. */
const STAGED_MS = HOUR_MS;

/**
 * Bytes looked at together. Removing them keeps all writers waiting, and the database gives up on a transaction in which
 * nothing is asked for ten seconds, so it is not too many.
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
  if (batch.length > 0) yield batch;
}

const isOlder = async (blobs: BlobStore, sha256: string, time: Date): Promise<boolean> => {
  const blob = await blobs.open(sha256);
  return blob !== null && blob.keptAt < time;
};

/**
 * Removes what no version refers to. That it will, is on record before; the bytes go while no version can be submitted.
 * An upload that kept the same bytes just then finds that record when it submits, and looks whether they are still there.
 */
async function sweepBatch(deps: SweepDeps, hashes: string[], before: Date): Promise<number> {
  const found: string[] = [];
  for (const sha256 of await deps.blobLedger.unused(hashes)) {
    if (await isOlder(deps.blobs, sha256, before)) found.push(sha256);
  }
  if (found.length === 0) return 0;
  await deps.unitOfWork(({ blobLedger }) => blobLedger.doom(found, deps.clock().toISOString()));
  return deps.unitOfWork(async ({ blobLedger }) => {
    let removed = 0;
    for (const sha256 of await blobLedger.unused(found)) {
      if (!(await isOlder(deps.blobs, sha256, before))) continue;
      await deps.blobs.remove(sha256);
      removed += 1;
    }
    return removed;
  });
}

/**
 * Removes bytes that no version refers to: an upload wrote them and died before its row. Uploads may go on meanwhile, in
 * this process and in others.
 * @param graceMs how long such bytes are left alone, in milliseconds
 * @returns how many blobs were removed
 * @throws when the signal says that there is no more time
 */
export async function sweepOrphans(
  deps: SweepDeps,
  { graceMs = GRACE_MS, signal }: { graceMs?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const now = deps.clock().getTime();
  await deps.blobs.sweepStaged(new Date(now - Math.min(graceMs, STAGED_MS)));
  if (!(await ownsBlobs(deps))) return 0;
  await deps.unitOfWork(({ blobLedger }) =>
    blobLedger.forgetDoomed(new Date(now - 24 * HOUR_MS).toISOString()),
  );
  let removed = 0;
  for await (const batch of batchesOf(deps.blobs.list())) {
    signal?.throwIfAborted();
    removed += await sweepBatch(deps, batch, new Date(now - graceMs));
  }
  if (removed > 0) deps.log.info({ removed }, 'Bytes that no version refers to were removed.');
  return removed;
}

/**
 * Makes sure, in the transaction that submits a version, that a sweep has not removed the bytes that were kept for it.
 * @throws UnavailableError when it has: the upload may be tried again at once
 */
export async function assertBlobsPresent(
  { blobLedger, blobs }: { blobLedger: BlobLedger; blobs: BlobStore },
  hashes: readonly string[],
): Promise<void> {
  for (const sha256 of await blobLedger.doomed(hashes)) {
    if (await blobs.open(sha256)) continue;
    throw new UnavailableError('The bytes of an upload were swept away while it was under way.', {
      retryAfter: 1,
    });
  }
}
