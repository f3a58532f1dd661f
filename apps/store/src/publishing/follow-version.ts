import type { VersionStatus } from '@svc/contracts';
import { placeInQueue, type ReviewPeriod } from '../domain/versions/place-in-queue.ts';
import type { ReviewStore } from '../domain/versions/review-store.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';

/**
 * A version as its developer follows it; while it waits for a person, with the reasons and its place in the queue.
 * @throws ApiError not_found
 */
export async function followVersion(
  deps: { versions: VersionStore; reviews: ReviewStore; policy: ReviewPeriod },
  ref: VersionRef,
): Promise<VersionStatus> {
  const record = await requireVersion(deps.versions, ref);
  const standing = record.state === 'in_review' ? await deps.reviews.standing(ref) : null;
  const review = standing && (await placeInQueue(deps, standing));
  // Decided since it was read: what is answered is how it stood then, without a place that it has no more.
  const changesRequestedAt = standing?.changesRequestedAt ?? null;
  return {
    ...statusOf(record),
    ...(review && { reasons: record.reasons, review }),
    ...(changesRequestedAt !== null && { changesRequestedAt }),
  };
}
