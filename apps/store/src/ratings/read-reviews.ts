import type { AppReviews, MyReview, ReviewsQuery } from '@svc/contracts';
import { z } from 'zod';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { type AppStatsStore, ratingOf } from '../domain/listings/app-stats-store.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import type { InstallStore } from '../installs/install-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';
import { presentOwn, presentReview } from './present.ts';
import type { Rating, RatingKey, RatingStore } from './rating-store.ts';

/** Opaque to clients: a time and the id of the last review of a page. */
const Cursor = z.tuple([z.iso.datetime(), z.string().max(100)]);

const NOT_OURS = {
  message: 'This cursor is not valid: start again without it.',
  advice: 'Use the nextCursor of a page.',
};

/** Where a page begins. @throws ApiError invalid_request for a cursor that no page gave */
export function keyOf(cursor: string | undefined): RatingKey | null {
  if (cursor === undefined) return null;
  const [at, id] = readCursor(Cursor, cursor, NOT_OURS);
  return { at, id };
}

/** Cuts what was found to a page, and says where the next one begins. */
export function pageOf(found: readonly Rating[], limit: number, timeOf: (rating: Rating) => string | null) {
  const ratings = found.slice(0, limit);
  const last = ratings.at(-1);
  const hasMore = found.length > ratings.length && last !== undefined;
  return { ratings, nextCursor: hasMore ? writeCursor([timeOf(last), last.id]) : null };
}

/**
 * Refuses an app that the public does not know.
 * @throws ApiError not_found
 */
export async function requireListed(listings: ListingStore, appId: string): Promise<void> {
  if (await listings.isListed(appId)) return;
  throw new ApiError('not_found', `There is no published app ${appId}.`);
}

/**
 * How an app is rated, and a page of what is said of it. What is written meanwhile moves no page.
 * @throws ApiError not_found; invalid_request for a cursor that no page gave
 */
export async function reviewsOf(
  deps: { listings: ListingStore; appStats: AppStatsStore; ratings: RatingStore },
  appId: string,
  { limit, cursor }: ReviewsQuery,
): Promise<AppReviews> {
  const after = keyOf(cursor);
  await requireListed(deps.listings, appId);
  const { stars } = await deps.appStats.of(appId);
  const found = await deps.ratings.shown(appId, after, limit);
  const { ratings, nextCursor } = pageOf(found, limit, ({ createdAt }) => createdAt);
  const [one, two, three, four, five] = stars;
  const histogram = { 1: one, 2: two, 3: three, 4: four, 5: five };
  return { rating: { ...ratingOf(stars), histogram }, reviews: ratings.map(presentReview), nextCursor };
}

/**
 * What a person says of an app. They see it, and may take it back, though the app is not listed any more.
 * @throws ApiError not_found
 */
export async function myReview(
  deps: { listings: ListingStore; ratings: RatingStore; installs: InstallStore },
  { person }: PersonCaller,
  appId: string,
): Promise<MyReview> {
  const rating = await deps.ratings.of(person.id, appId);
  const live = rating && !rating.removed ? rating : null;
  if (!live) await requireListed(deps.listings, appId);
  const installed = (await deps.installs.ownedBy(person.id, appId)) !== null;
  return { review: live && presentOwn(live), installed };
}
