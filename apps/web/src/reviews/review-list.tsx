import type { AppReview, AppReviews } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import type { ReactNode } from 'react';
import { useLivePages } from '../dashboard/use-live.ts';
import { ReviewItem } from './review-item.tsx';

type ListProps = {
  appId: string;
  /** Id of a review to leave out, which the page shows elsewhere. */
  without?: string | undefined;
  /** Rendered above the reviews. */
  head?(rating: AppReviews['rating']): ReactNode;
  /** Rendered below each review. */
  actions(review: AppReview): ReactNode;
};

/** The reviews of an app, newest first. */
export function ReviewList({ appId, without, head, actions }: ListProps) {
  const query = useLivePages(
    (cursor) => apiRequest('GET /api/apps/:appId/reviews', { params: { appId }, query: { cursor } }),
    () => false,
  );
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const reviews = pages.flatMap((page) => page.reviews).filter(({ id }) => id !== without);
        return (
          <>
            {pages[0] && head?.(pages[0].rating)}
            {reviews.length === 0 ? (
              <p>{without === undefined ? 'No ratings yet.' : 'No other ratings yet.'}</p>
            ) : null}
            <ol className="reviews">
              {reviews.map((review) => (
                <li key={review.id}>
                  <ReviewItem review={review}>{actions(review)}</ReviewItem>
                </li>
              ))}
            </ol>
            {query.hasNextPage ? (
              <button type="button" disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                Load older reviews
              </button>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
