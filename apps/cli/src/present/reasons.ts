/** Review reasons, in words for the developer. */
const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'It is the first version of this app. Every first version is reviewed.',
  'permissions-widened': 'It asks for new permissions.',
  'flagged:face.changed': 'It changes its name, icon or other branding.',
  'flagged:check.error': 'A check could not be completed.',
  'publisher-unverified': 'Its publisher is not verified.',
};

/** A reason for review in plain words. */
export function reasonText(reason: string): string {
  if (Object.hasOwn(REASONS, reason)) return REASONS[reason] as string;
  if (reason.startsWith('flagged:')) return `The checks found ${reason.slice('flagged:'.length)}.`;
  return 'The store requires a review.';
}
