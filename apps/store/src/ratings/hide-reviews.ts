import { adjustHistogram, type RatingStores } from './write-review.ts';

export type WithholdStores = Pick<RatingStores, 'ratings' | 'appStats' | 'listings'>;

/**
 * Takes all that a person said out of sight and out of the sums, or puts it back. A suspended person is mostly one who
 * rated with accounts made for it: an app must not keep what it gained by them. Run it in the transaction that suspends
 * them or lets them back.
 */
export async function hideReviewsOf(
  stores: WithholdStores,
  personId: string,
  withheld: boolean,
): Promise<void> {
  for (const { appId, stars } of await stores.ratings.withhold(personId, withheld)) {
    await adjustHistogram(stores, appId, withheld ? stars : null, withheld ? null : stars);
  }
}
