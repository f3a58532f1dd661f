import type { ReviewClock, ReviewLock, ReviewPlace } from '@svc/contracts';
import { keptFor } from '../../../platform/kept-for.ts';
import type { Clock } from '../../../platform/system.ts';
import { isActive } from '../../../platform/terms.ts';
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

const DAY_MS = 24 * 3_600_000;
/** Decisions that count: older ones say nothing of the moderators of today. */
const WINDOW_MS = 90 * DAY_MS;
const MOST = 2_000;
/** With fewer decisions, a time would tell how one moderator decided one version. */
const FEWEST = 20;
/** How long a result is kept: every look at a version in review asks for it. */
const KEPT_MS = 60_000;

type Times = Pick<ReviewClock, 'decisions' | 'medianMs' | 'p90Ms'>;

/** The nearest-rank percentile of sorted numbers. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

function timesOf(spans: readonly number[]): Times {
  const sorted = spans.toSorted((a, b) => a - b);
  const isShown = sorted.length >= FEWEST;
  return {
    decisions: sorted.length,
    medianMs: isShown ? percentile(sorted, 0.5) : null,
    p90Ms: isShown ? percentile(sorted, 0.9) : null,
  };
}

async function read(
  reviews: Pick<ReviewStore, 'decidedSince' | 'waitingByReasons'>,
  now: Date,
): Promise<ReviewClock> {
  const decided = await reviews.decidedSince(new Date(now.getTime() - WINDOW_MS).toISOString(), MOST);
  const waiting = await reviews.waitingByReasons();
  const spans = decided.map(({ submittedAt, decidedAt, reasons }) => ({
    reasons,
    ms: Math.max(0, Date.parse(decidedAt) - Date.parse(submittedAt)),
  }));
  const sumOf = (rows: typeof waiting) => rows.reduce((sum, { count }) => sum + count, 0);
  const reasons = [...new Set([...decided, ...waiting].flatMap((one) => one.reasons))].sort();
  return {
    waiting: sumOf(waiting),
    oldestAt: waiting.map(({ oldestAt }) => oldestAt).sort()[0] ?? null,
    ...timesOf(spans.map(({ ms }) => ms)),
    reasons: reasons.map((reason) => ({
      reason,
      waiting: sumOf(waiting.filter((one) => one.reasons.includes(reason))),
      ...timesOf(spans.filter((one) => one.reasons.includes(reason)).map(({ ms }) => ms)),
    })),
  };
}

/** Creates the clock of reviews, which reads at most once a minute. */
export const createReviewClock = ({
  reviews,
  clock,
}: {
  reviews: Pick<ReviewStore, 'decidedSince' | 'waitingByReasons'>;
  clock: Clock;
}) => keptFor(clock, null, KEPT_MS, (now) => read(reviews, now));

/** When a version is probably decided: after the time within which half of the recent ones were. Null once that has passed. */
export function expectedAt({ medianMs }: ReviewClock, submittedAt: string, now: Date): string | null {
  const at = medianMs === null ? 0 : Date.parse(submittedAt) + medianMs;
  return at > now.getTime() ? new Date(at).toISOString() : null;
}
