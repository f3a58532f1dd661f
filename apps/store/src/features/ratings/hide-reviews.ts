import { adjustHistogram, type RatingStores } from './write-review.ts';

export type HideStores = Pick<RatingStores, 'ratings' | 'appStats' | 'listings'>;

/**
 * Hides all reviews of a person and removes their stars from the averages, or restores them. Many suspended accounts were created to
 * rate an app, which must not keep those stars. Call it in the transaction that changes the suspension.
 */
export async function hideReviewsOf(stores: HideStores, personId: string, withheld: boolean): Promise<void> {
  for (const { appId, stars } of await stores.ratings.withhold(personId, withheld)) {
    await adjustHistogram(stores, appId, withheld ? stars : null, withheld ? null : stars);
  }
}
