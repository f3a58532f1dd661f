import type { AppReview } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { day } from '@svc/ui';
import type { ReactNode } from 'react';
import { visible } from '../check/words.ts';
import { WORDS } from './words.ts';

/** The stars of a rating. */
export const Stars = ({ given }: { given: number }) => (
  <span className="stars" role="img" aria-label={WORDS.stars(given)}>
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
      <p className="soft">{WORDS.by(visible(author.name), visible(version), day(updatedAt))}</p>
      {body === '' ? null : <Written text={body} />}
      {reply === undefined ? null : (
        <blockquote>
          <p className="soft">{WORDS.replied(day(reply.updatedAt))}</p>
          <Written text={reply.body} />
        </blockquote>
      )}
      {children}
    </article>
  );
}
