import { describe, expect, it } from 'vitest';
import { QueueQuery, REVIEW_REASONS, ReviewReason, reviewReasonText } from '../src/index.ts';

describe('review reasons', () => {
  it.each(REVIEW_REASONS)('%s is a reason on the wire and a filter of the queue', (reason) => {
    expect(ReviewReason.parse(reason)).toBe(reason);
    expect(QueueQuery.parse({ reason })).toMatchObject({ reason });
    expect(reviewReasonText(reason)).toMatch(/^[A-Z].*\.$/);
  });

  it('have a text for codes without one of their own', () => {
    expect(reviewReasonText('flagged:bundle.obfuscated')).toBe('The checks found bundle.obfuscated.');
    expect(reviewReasonText('later')).toBe('The store requires a review.');
    expect(reviewReasonText('constructor')).toBe('The store requires a review.');
  });
});
