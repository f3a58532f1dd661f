import type { NewFlag } from '@svc/contracts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { ChangeParts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { Rating } from './rating-store.ts';
import { publisherOfApp, type ReviewRef, requireShown } from './reply.ts';
import type { RatingStores } from './write-review.ts';

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
