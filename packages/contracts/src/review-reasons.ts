/** The reasons for a review that have a text of their own. Any other is `flagged:` and the code of a finding. */
export const REVIEW_REASONS = [
  'publisher-confirmation',
  'first-version',
  'permissions-widened',
  'publisher-unverified',
  'flagged:face.changed',
  'flagged:tools.changed',
  'flagged:requires.id',
  'flagged:check.error',
] as const;
export type KnownReviewReason = (typeof REVIEW_REASONS)[number];

const TEXTS: Readonly<Record<KnownReviewReason, string>> = {
  'publisher-confirmation':
    'A member of the publisher must confirm it on the page of the app, after a look at the changes and the hash.',
  'first-version': 'It is the first version of this app. Every first version is reviewed.',
  'permissions-widened': 'It asks for new permissions.',
  'publisher-unverified':
    'Its publisher is not verified. Verify it on the page of the publisher, under Website.',
  'flagged:face.changed':
    'Its name, author, icon, permission texts, approval texts or CI workflow change. A moderator compares them.',
  'flagged:tools.changed':
    'It adds a tool, or changes the name or description of one. Agents follow these words, so a moderator reads them.',
  'flagged:requires.id':
    'It requires an app that is not published in this store. It can be approved once that app is published.',
  'flagged:check.error': 'A check could not be completed.',
};

const FLAGGED = 'flagged:';

const isKnown = (reason: string): reason is KnownReviewReason => Object.hasOwn(TEXTS, reason);

/** Explains to the publisher why a moderator reviews a version. Escape the text: it contains unknown codes as they are. */
export function reviewReasonText(reason: string): string {
  if (isKnown(reason)) return TEXTS[reason];
  if (reason.startsWith(FLAGGED)) return `The checks found ${reason.slice(FLAGGED.length)}.`;
  return 'The store requires a review.';
}
