import type { ReviewClock, VersionStatus } from '@svc/contracts';
import type { Parts } from '../../domain/parts/parts.ts';
import { placeInQueue, type ReviewPeriod } from '../../domain/versions/place-in-queue.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../../domain/versions/version-status.ts';

/**
 * The status of a version for its developer; while in review, with the reasons and its place in the queue.
 * @throws ApiError not_found
 */
export async function followVersion(
  deps: Pick<Parts, 'versions' | 'reviews' | 'clock'> & {
    policy: ReviewPeriod;
    reviewClock: () => Promise<ReviewClock>;
  },
  ref: VersionRef,
): Promise<VersionStatus> {
  const record = await requireVersion(deps.versions, ref);
  const state = record.state === 'in_review' ? await deps.reviews.reviewState(ref) : null;
  // Null when the version was decided after it was read: then the response has the earlier state, without a place.
  const review = state && (await placeInQueue(deps, state));
  const changesRequestedAt = state?.changesRequestedAt ?? null;
  return {
    ...statusOf(record),
    ...(review && { reasons: record.reasons, review }),
    ...(record.awaitsConfirmation && { reasons: record.reasons }),
    ...(changesRequestedAt !== null && { changesRequestedAt }),
  };
}
