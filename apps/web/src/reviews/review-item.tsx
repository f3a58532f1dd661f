import type { AppReview } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { day } from '@svc/ui';
import type { ReactNode } from 'react';

/** The stars of a rating. */
export const Stars = ({ given }: { given: number }) => (
  <span className="stars" role="img" aria-label={`${given} of 5 stars`}>
    {'★'.repeat(given)}
    {'☆'.repeat(LIMITS.ratings.stars - given)}
  </span>
);

/**
 * Text of a user, unchanged. The store refuses texts with characters that hide or reorder others; the joiners of emoji and
 * words must stay. Each text has its own direction (Unicode UAX 9, section 6.4).
 */
export const Written = ({ text }: { text: string }) => (
  <p className="lines" dir="auto">
    {text}
  </p>
);

/** A review with the publisher's reply, and actions below it. */
export function ReviewItem({ review, children }: { review: AppReview; children: ReactNode }) {
  const { rating, title, body, author, version, updatedAt, reply } = review;
  return (
    <article>
      <p>
        <Stars given={rating} /> <strong dir="auto">{title}</strong>
      </p>
      <p className="soft">{`${visible(author.name)}, ${day(updatedAt)}, version ${visible(version)}`}</p>
      {body === '' ? null : <Written text={body} />}
      {reply === undefined ? null : (
        <blockquote>
          <p className="soft">{`The publisher replied, ${day(reply.updatedAt)}`}</p>
          <Written text={reply.body} />
        </blockquote>
      )}
      {children}
    </article>
  );
}
