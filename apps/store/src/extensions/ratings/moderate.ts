import type { FlaggedQuery, FlaggedReviews, ModeratedReview, NewFlag } from '@svc/contracts';
import { type Caller, type PersonCaller, personName } from '../../core/domain/identity/caller.ts';
import { namesOnRecord } from '../../core/domain/identity/names-on-record.ts';
import type { ChangeParts } from '../../core/domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import { pageOf } from '../../platform/page-of.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { Rating } from './rating-store.ts';
import { ByTime, presentModerated } from './read-reviews.ts';
import { publisherOfApp, type ReviewRef, requireShown } from './reply.ts';
import { adjustHistogram, type RatingStores, starsOf } from './write-review.ts';

/** The most flags of one review that a moderator sees. */
const MAX_FLAGS = 20;

export type FlaggedDeps = Pick<RatingStores, 'apps' | 'people' | 'publishers' | 'ratings' | 'flags'>;

/**
 * Reads one page of the reviews that wait for a moderator, the oldest request first.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function flaggedReviews(deps: FlaggedDeps, query: FlaggedQuery): Promise<FlaggedReviews> {
  const { items: ratings, nextCursor } = await pageOf(
    query,
    ByTime,
    (after) => deps.ratings.waiting(after, query.limit),
    ({ waitingSince, id }) => [waitingSince ?? '', id],
  );
  const flags = await deps.flags.open(
    ratings.map(({ id }) => id),
    MAX_FLAGS,
  );
  const names = await namesOnRecord(
    deps,
    flags.map(({ personId }) => personName(personId)),
  );
  const appNames = await deps.apps.namesOf([...new Set(ratings.map(({ appId }) => appId))]);
  const byRating = Map.groupBy(flags, ({ ratingId }) => ratingId);
  return {
    reviews: ratings.map((rating) =>
      presentModerated(rating, appNames, byRating.get(rating.id) ?? [], names),
    ),
    nextCursor,
  };
}

/** Refuses a moderator who wrote the review or is a member of the app's publisher. Does not apply to automation. */
async function requireImpartial({ apps, people }: RatingStores, caller: Caller, { appId, author }: Rating) {
  if (caller.kind !== 'person') return;
  const memberships = await people.membershipsOf(caller.person.id);
  const isTheirs = memberships.has(await publisherOfApp(apps, appId));
  if (!isTheirs && author.id !== caller.person.id) return;
  throw new ApiError(
    'forbidden',
    'You wrote this review or are a member of the publisher of the app: another moderator must decide.',
  );
}

/** The first decision wins; a second one fails with `already_handled`. */
function requireOpen({ hidden, waitingSince }: Rating, to: 'hidden' | 'shown'): void {
  const status = hidden ? 'hidden' : 'shown';
  if (waitingSince !== null || status !== to) return;
  throw new ApiError('already_handled', `The review is already ${status}.`);
}

/**
 * Hides or keeps a review and decides all its flags. The average of the app changes immediately.
 * @throws ApiError not_found, forbidden, already_handled
 */
export async function decideReview(
  { unitOfWork, clock }: ChangeParts<RatingStores>,
  caller: Caller,
  id: string,
  to: 'hidden' | 'shown',
  note: string,
): Promise<ModeratedReview> {
  return unitOfWork(async (stores) => {
    const before = await stores.ratings.find(id);
    if (!before || before.removed) throw new ApiError('not_found', 'There is no such review.');
    await requireImpartial(stores, caller, before);
    requireOpen(before, to);
    const decision = { hidden: to === 'hidden', note };
    const at = clock().toISOString();
    await stores.ratings.decide(id, decision);
    await stores.flags.decide(id, at);
    const after: Rating = { ...before, ...decision, waitingSince: null };
    await adjustHistogram(stores, before.appId, starsOf(before), starsOf(after));
    const action = decision.hidden ? 'rating.hide' : 'rating.keep';
    await stores.audit.add(caller, at, { action, appId: before.appId, detail: { rating: id, note } });
    return presentModerated(after, await stores.apps.namesOf([after.appId]), []);
  });
}

/** Each flag is work for a moderator. */
const FLAGS: Rate = { what: 'flags', limit: 30, windowMs: 60 * 60_000 };

/** Refuses a second flag after a moderator has decided on the first, unless the review has changed since. */
async function requireUndecided({ flags }: RatingStores, { id, updatedAt }: Rating, personId: string) {
  const decidedAt = await flags.decidedAt(id, personId);
  if (decidedAt == null || decidedAt < updatedAt) return;
  throw new ApiError('already_handled', 'A moderator has already decided on your flag.');
}

/**
 * Flags a review for moderators. Flags alone never hide a review, however many there are.
 * @returns the remaining quota of flags
 * @throws ApiError not_found, forbidden, already_handled, rate_limited
 */
export async function flagReview(
  deps: ChangeParts<RatingStores>,
  caller: PersonCaller,
  ref: ReviewRef,
  { reason, note = '' }: NewFlag,
): Promise<Quota> {
  const personId = caller.person.id;
  return deps.unitOfWork(async (stores) => {
    const rating = await requireShown(stores, ref);
    if (rating.author.id === personId)
      throw new ApiError('forbidden', 'This is your own review: edit or delete it instead.');
    await requireUndecided(stores, rating, personId);
    const quota = await consume({ ...deps, ...stores }, FLAGS, `flag ${caller.name}`);
    const publisher = await publisherOfApp(stores.apps, ref.appId);
    const byPublisher = (await stores.people.membershipsOf(personId)).has(publisher);
    const at = deps.clock().toISOString();
    await stores.flags.put({ ratingId: ref.id, personId, byPublisher, reason, note, at });
    await stores.ratings.requestModeration(ref.id, at);
    const detail = { rating: ref.id, reason };
    await stores.audit.add(caller, at, { action: 'rating.flag', appId: ref.appId, detail });
    return quota;
  });
}
