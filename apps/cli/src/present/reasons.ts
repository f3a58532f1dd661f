/** Why a person must look at a version, in words for its developer. */
const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'It is the first version of this app; a person looks at every first version.',
  'permissions-widened': 'It asks for new permissions.',
  'flagged:face.changed': 'It changes how it presents itself.',
  'flagged:check.error': 'A check could not be finished, so a person takes over.',
  'publisher-unverified': 'Its publisher is not verified.',
};

/** A reason for review in plain words. */
export function reasonText(reason: string): string {
  if (Object.hasOwn(REASONS, reason)) return REASONS[reason] as string;
  if (reason.startsWith('flagged:'))
    return `The checks found ${reason.slice('flagged:'.length)}, which a person judges.`;
  return 'The store wants a person to look at it.';
}
