import type { ReviewLock, ReviewPlace } from '@svc/contracts';
import { isActive } from '../../platform/terms.ts';
import type { QueueKey } from './review-queue.ts';
import type { ReviewStore } from './review-store.ts';

/** How long a review may take, in milliseconds. */
export type ReviewPeriod = { reviewMs: number };

/** When the period for a review ends. */
export const dueAt = ({ reviewMs }: ReviewPeriod, submittedAt: string): string =>
  new Date(Date.parse(submittedAt) + reviewMs).toISOString();

/** A lock, unless it has expired. */
export const liveLock = (lock: ReviewLock | null, now: string): ReviewLock | null =>
  lock && isActive('versions.locked_until', lock.until, now) ? lock : null;

/** The place of a version in the review queue; null when it is no longer in review. */
export async function placeInQueue(
  deps: { reviews: ReviewStore; policy: ReviewPeriod },
  key: QueueKey,
): Promise<ReviewPlace | null> {
  const place = await deps.reviews.placeOf(key);
  return place && { ...place, dueAt: dueAt(deps.policy, key.submittedAt) };
}
