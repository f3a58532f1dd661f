import type { AppReview, AppReviews } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { day, Loaded } from '@svc/ui';
import type { ReactNode } from 'react';
import { LoadMore } from '../../account/parts.tsx';
import { usePages } from '../../dashboard/use-live.ts';

export const Stars = ({ given }: { given: number }) => (
  <span className="stars" role="img" aria-label={`${given} of 5 stars`}>
    {'★'.repeat(given)}
    <span>{'★'.repeat(LIMITS.ratings.stars - given)}</span>
  </span>
);

/**
 * Text of a user, unchanged. The store refuses texts with characters that hide or reorder others; the joiners of emoji and
 * words must stay. Each text has its own direction (Unicode UAX 9, section 6.4).
 */
export const Written = ({ text }: { text: string }) => (
  <p className="plain" dir="auto">
    {text}
  </p>
);

/** The reply of the publisher, if there is one. */
export const Reply = ({ reply }: Pick<AppReview, 'reply'>) =>
  reply === undefined ? null : (
    <blockquote>
      <p className="soft">{`The publisher replied, ${day(reply.updatedAt)}`}</p>
      <Written text={reply.body} />
    </blockquote>
  );

/** A review with the publisher's reply, and actions below it. */
export function ReviewItem({ review, children }: { review: AppReview; children?: ReactNode }) {
  const { rating, title, body, author, version, updatedAt, reply } = review;
  return (
    <article>
      <p>
        <Stars given={rating} /> <strong dir="auto">{title}</strong>
      </p>
      <p className="soft">{`${visible(author.name)}, ${day(updatedAt)}, version ${visible(version)}`}</p>
      {body === '' ? null : <Written text={body} />}
      <Reply reply={reply} />
      {children}
    </article>
  );
}

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
  const query = usePages((cursor) =>
    apiRequest('GET /api/apps/:appId/reviews', { params: { appId }, query: { cursor } }),
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
            <LoadMore query={query} label="Load older reviews" />
          </>
        );
      }}
    </Loaded>
  );
}
