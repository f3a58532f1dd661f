import type { AppReview, AppReviews } from '@svc/contracts';
import type { ReactNode } from 'react';
import { Loaded } from '../account/parts.tsx';
import { useLivePages } from '../dashboard/use-live.ts';
import { ReviewItem } from './review-item.tsx';
import { WORDS } from './words.ts';

/** Where an app's reviews are asked for. */
export const pathOfReviews = (appId: string): string => `/api/apps/${appId}/reviews`;

type ListProps = {
  appId: string;
  /** Of a review that is shown elsewhere. */
  without?: string | undefined;
  /** What stands above the reviews. */
  head?(rating: AppReviews['rating']): ReactNode;
  /** What can be done about a review. */
  actions(review: AppReview, path: string): ReactNode;
};

/** What people say of an app, newest first. */
export function ReviewList({ appId, without, head, actions }: ListProps) {
  const path = pathOfReviews(appId);
  const query = useLivePages<AppReviews>(path, () => false);
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const reviews = pages.flatMap((page) => page.reviews).filter(({ id }) => id !== without);
        return (
          <>
            {pages[0] && head?.(pages[0].rating)}
            {reviews.length === 0 ? <p>{without === undefined ? WORDS.none : WORDS.noOthers}</p> : null}
            <ol className="reviews">
              {reviews.map((review) => (
                <li key={review.id}>
                  <ReviewItem review={review}>{actions(review, `${path}/${review.id}`)}</ReviewItem>
                </li>
              ))}
            </ol>
            {query.hasNextPage ? (
              <button type="button" disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                {WORDS.more}
              </button>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
