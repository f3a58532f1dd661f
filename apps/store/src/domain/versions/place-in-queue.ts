import type { ReviewClock, ReviewLock, ReviewPlace } from '@svc/contracts';
import type { Clock } from '../../platform/system.ts';
import { isActive } from '../../platform/terms.ts';
import { expectedAt } from './review-clock.ts';
import type { QueueKey } from './review-queue.ts';
import type { ReviewStore } from './review-store.ts';

/** How long a review may take, in milliseconds. */
export type ReviewPeriod = { reviewMs: number };

export const dueAt = ({ reviewMs }: ReviewPeriod, submittedAt: string): string =>
  new Date(Date.parse(submittedAt) + reviewMs).toISOString();

/** A lock, unless it has expired. */
export const liveLock = (lock: ReviewLock | null, now: string): ReviewLock | null =>
  lock && isActive('versions.locked_until', lock.until, now) ? lock : null;

type PlaceDeps = { reviews: ReviewStore; policy: ReviewPeriod } & (
  | { reviewClock: () => Promise<ReviewClock>; clock: Clock }
  | { reviewClock?: never }
);

/** The place of a version in the review queue; null when it is no longer in review. */
export async function placeInQueue(deps: PlaceDeps, key: QueueKey): Promise<ReviewPlace | null> {
  const place = await deps.reviews.placeOf(key);
  if (!place) return null;
  const expected = deps.reviewClock && expectedAt(await deps.reviewClock(), key.submittedAt, deps.clock());
  return {
    ...place,
    dueAt: dueAt(deps.policy, key.submittedAt),
    ...(expected && { expectedAt: expected }),
  };
}
