import type { AppReview } from '@svc/contracts';
import { isModerator, type PersonCaller, requireMember } from '../../core/domain/identity/caller.ts';
import type { PersonStore } from '../../core/domain/identity/person-store.ts';
import type { ChangeParts } from '../../core/domain/parts/parts.ts';
import type { AppStore } from '../../core/domain/versions/app-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import { isShown, type Rating } from './rating-store.ts';
import { presentReview, requireListed } from './read-reviews.ts';
import type { RatingStores } from './write-review.ts';

/** A publisher replies to reviews one by one, not faster than this. */
const REPLIES: Rate = { what: 'answers', limit: 100, windowMs: 60 * 60_000 };

export type ReviewRef = { appId: string; id: string };

const noSuchReview = () => new ApiError('not_found', 'There is no such review.');

/**
 * Finds a public review.
 * @throws ApiError not_found
 */
export async function requireShown(
  { ratings, listings }: Pick<RatingStores, 'ratings' | 'listings'>,
  { appId, id }: ReviewRef,
): Promise<Rating> {
  await requireListed(listings, appId);
  const rating = await ratings.find(id);
  if (rating?.appId !== appId || !isShown(rating)) throw noSuchReview();
  return rating;
}

export async function publisherOfApp(apps: AppStore, appId: string): Promise<string> {
  const app = await apps.find(appId);
  if (!app) throw new Error('The app of a review is missing.');
  return app.publisher;
}

/** The caller with their current memberships. */
const withCurrentMemberships = async (people: PersonStore, caller: PersonCaller): Promise<PersonCaller> => ({
  ...caller,
  memberships: await people.membershipsOf(caller.person.id),
});

/**
 * Replies to a review on behalf of the app's publisher, or edits the reply.
 * @throws ApiError not_found, also while the app or the publisher is suspended; not_a_member, rate_limited
 */
export async function reply(
  deps: ChangeParts<RatingStores>,
  caller: PersonCaller,
  ref: ReviewRef,
  body: string,
): Promise<{ review: AppReview; quota: Quota }> {
  return deps.unitOfWork(async (stores) => {
    const rating = await requireShown(stores, ref);
    const publisher = await publisherOfApp(stores.apps, ref.appId);
    requireMember(await withCurrentMemberships(stores.people, caller), publisher);
    const quota = await consume({ ...deps, ...stores }, REPLIES, `reply ${caller.name}`);
    const at = deps.clock().toISOString();
    const answer = { body, createdAt: rating.reply?.createdAt ?? at, updatedAt: at };
    await stores.ratings.reply(ref.id, answer);
    const event = {
      action: 'rating.reply',
      appId: ref.appId,
      publisher,
      detail: { rating: ref.id },
    } as const;
    await stores.audit.add(caller, at, event);
    return { review: presentReview({ ...rating, reply: answer }), quota };
  });
}

/**
 * Deletes a reply, as a member of the publisher or a moderator.
 * @throws ApiError not_found, not_a_member
 */
export async function deleteReply(
  deps: ChangeParts<RatingStores>,
  caller: PersonCaller,
  { appId, id }: ReviewRef,
): Promise<AppReview> {
  return deps.unitOfWork(async (stores) => {
    const rating = await stores.ratings.find(id);
    // A hidden review must not be visible to others in the response.
    if (rating?.appId !== appId || (!isShown(rating) && !isModerator(caller))) throw noSuchReview();
    const publisher = await publisherOfApp(stores.apps, appId);
    if (!isModerator(caller)) requireMember(await withCurrentMemberships(stores.people, caller), publisher);
    if (!rating.reply) throw new ApiError('not_found', 'This review has no reply.');
    await stores.ratings.reply(id, null);
    const event = { action: 'rating.unreply', appId, publisher, detail: { rating: id } } as const;
    await stores.audit.add(caller, deps.clock().toISOString(), event);
    return presentReview({ ...rating, reply: null });
  });
}
