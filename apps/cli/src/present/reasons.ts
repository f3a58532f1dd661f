/** Why a person must look at a version, in words for its developer. */
const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'It is the first version of this app; a person looks at every first version.',
  'permissions-widened': 'It may reach more than the version before it.',
  'publisher-unverified': 'Its publisher is not verified.',
};

/** A reason for review in plain words. */
export function reasonText(reason: string): string {
  if (reason === 'flagged:check.error') return 'A check could not be finished, so a person takes over.';
  if (reason.startsWith('flagged:'))
    return `The checks found ${reason.slice('flagged:'.length)}, which a person judges.`;
  return REASONS[reason] ?? 'The store wants a person to look at it.';
}
