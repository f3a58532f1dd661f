import {
  type AppReview,
  type AppReviews,
  LIMITS,
  type ModeratedReview,
  type MyReview,
  type ReviewsQuery,
} from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { type PersonCaller, personName } from '../../core/domain/identity/caller.ts';
import { ratingOf } from '../../core/domain/listings/app-stats-store.ts';
import type { ListingStore } from '../../core/domain/listings/listing-store.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { InstallStore } from '../../core/installs/install-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { pageOf } from '../../platform/page-of.ts';
import type { Flag } from './flag-store.ts';
import { isShown, type Rating, type RatingPlace, type RatingStore } from './rating-store.ts';

/** The public form of a name, without hidden characters, which older names may contain. */
const publicName = (name: string): string => cleanLine(name, LIMITS.people.name);

const fieldsOf = ({ id, stars, title, body, version, createdAt, updatedAt, reply }: Rating) => ({
  id,
  rating: stars,
  title,
  body,
  version,
  createdAt,
  updatedAt,
  ...(reply && { reply }),
});

export const presentReview = (rating: Rating): AppReview => ({
  ...fieldsOf(rating),
  author: { name: publicName(rating.author.name) },
});

/** A review as its author sees it. */
const presentOwn = (rating: Rating): NonNullable<MyReview['review']> => ({
  ...fieldsOf(rating),
  hidden: rating.hidden,
  ...(rating.hidden && { note: rating.note }),
});

const presentFlag = ({ reason, note, personId, byPublisher, at }: Flag, names: Names) => ({
  reason,
  note,
  by: personName(personId),
  name: names[personName(personId)] ?? null,
  byPublisher,
  at,
});

/** Current names of persons, by their names on record. */
type Names = Readonly<Record<string, string>>;

/** A review as moderators see it. */
export const presentModerated = (
  rating: Rating,
  appNames: ReadonlyMap<string, string>,
  flags: readonly Flag[],
  names: Names = {},
): ModeratedReview => ({
  ...fieldsOf(rating),
  appId: rating.appId,
  appName: appNames.get(rating.appId) ?? rating.appId,
  author: { id: rating.author.id, name: publicName(rating.author.name) },
  hidden: rating.hidden,
  note: rating.note,
  waitingSince: rating.waitingSince,
  flags: flags.map((flag) => presentFlag(flag, names)),
});

/** Opaque to clients: a time and the id of the last review of a page, and its stars where these are the order. */
export const ByTime = z.tuple([z.iso.datetime(), z.string().max(100)]);
const ByStars = z.tuple([...ByTime.def.items, z.int().min(1).max(5)]);

/**
 * Refuses an app that is not listed.
 * @throws ApiError not_found
 */
export async function requireListed(listings: ListingStore, appId: string): Promise<void> {
  if (await listings.isListed(appId)) return;
  throw new ApiError('not_found', `There is no published app ${appId}.`);
}

/** A public review of an app, if it is one. */
async function shownOne(
  ratings: RatingStore,
  { appId, id }: { appId: string; id: string },
): Promise<Rating[]> {
  const rating = await ratings.find(id);
  return rating?.appId === appId && !rating.removed && isShown(rating) ? [rating] : [];
}

/**
 * The rating of an app and a page of its reviews. New reviews do not shift pages.
 * @throws ApiError not_found; invalid_request for an invalid cursor
 */
export async function reviewsOf(
  deps: Pick<Parts, 'listings' | 'appStats'> & { ratings: RatingStore },
  appId: string,
  query: ReviewsQuery,
): Promise<AppReviews> {
  const { limit, sort, id } = query;
  const { items, nextCursor } = await pageOf<Rating, RatingPlace>(
    query,
    sort === 'newest' ? ByTime : ByStars,
    async (after) => {
      await requireListed(deps.listings, appId);
      return id === undefined
        ? deps.ratings.shown(appId, sort, after, limit)
        : shownOne(deps.ratings, { appId, id });
    },
    ({ createdAt, id, stars }) => (sort === 'newest' ? [createdAt, id] : [createdAt, id, stars]),
  );
  const { stars } = await deps.appStats.of(appId);
  const [one, two, three, four, five] = stars;
  const histogram = { 1: one, 2: two, 3: three, 4: four, 5: five };
  return { rating: { ...ratingOf(stars), histogram }, reviews: items.map(presentReview), nextCursor };
}

/**
 * The caller's own review of an app, also of an app that is no longer listed.
 * @throws ApiError not_found
 */
export async function myReview(
  deps: { listings: ListingStore; ratings: RatingStore; installs: InstallStore },
  { person }: PersonCaller,
  appId: string,
): Promise<MyReview> {
  const rating = await deps.ratings.of(person.id, appId);
  const current = rating && !rating.removed ? rating : null;
  if (!current) await requireListed(deps.listings, appId);
  const installed = (await deps.installs.ownedBy(person.id, appId)) !== null;
  return { review: current && presentOwn(current), installed };
}
