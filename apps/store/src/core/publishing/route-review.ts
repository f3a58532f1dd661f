import type { Issue, KnownReviewReason, PermissionDiff, Publisher } from '@svc/contracts';
import { steersAgents } from '@svc/permissions';
import { LOOK_PATHS, MISSING_REQUIREMENT } from '../domain/listings/store-warnings.ts';

/** When a version needs a review. */
export type ReviewPolicy = {
  /** Codes of warnings that require a review, for every publisher. */
  flaggedCodes: ReadonlySet<string>;
  /** Slugs of publishers whose versions need a review only for flagged codes. */
  skipReview: ReadonlySet<string>;
  /** Whose changes of tools, which agents read, need a review. */
  toolChanges: 'always' | 'unverified' | 'never';
  /** Whether all versions wait for a member of their publisher, or those of apps and uploads that ask for it. */
  confirmUploads: 'asked' | 'always';
};

/**
 * Whether a code is about a name, an icon or an id that the latest published version has too. A moderator has decided on it there; an app
 * that is published later under a similar name must not hold back the updates of the first.
 */
const isKnownLook = ({ baseVersion, changes }: PermissionDiff, code: string): boolean =>
  baseVersion !== null && LOOK_PATHS.has(code) && !changes.some(({ path }) => path === LOOK_PATHS.get(code));

function reasonsOfDiff(
  diff: PermissionDiff,
  publisher: { verified: boolean },
  { toolChanges }: Pick<ReviewPolicy, 'toolChanges'>,
  comesFromElsewhere: boolean,
): KnownReviewReason[] {
  const first = diff.baseVersion === null;
  const reasons: KnownReviewReason[] = [];
  if (first) reasons.push('first-version');
  // All permissions of a first version are new, which "first-version" says already.
  if (!first && diff.widens) reasons.push('permissions-widened');
  // People judge an app by where it comes from, as by its name.
  if (!first && (comesFromElsewhere || diff.changes.some(({ kind }) => kind === 'face')))
    reasons.push('flagged:face.changed');
  const isRead = toolChanges === 'always' || (toolChanges === 'unverified' && !publisher.verified);
  if (!first && isRead && diff.changes.some(steersAgents)) reasons.push('flagged:tools.changed');
  if (!publisher.verified) reasons.push('publisher-unverified');
  return reasons;
}

/** The reasons besides what the checks flag. */
function reasonsOf(
  diff: PermissionDiff,
  publisher: Pick<Publisher, 'slug' | 'verified'>,
  policy: ReviewPolicy,
  { comesFromElsewhere, origin }: { comesFromElsewhere: boolean; origin: { review: boolean } | undefined },
): KnownReviewReason[] {
  if (origin) return origin.review ? ['carried'] : [];
  if (policy.skipReview.has(publisher.slug)) return [];
  return reasonsOfDiff(diff, publisher, policy, comesFromElsewhere);
}

/**
 * Decides whether a version needs a review. An empty list means that it is published immediately.
 * @param diff the comparison with the latest published version
 * @param issues the findings of the checks
 * @param origin the store that the version comes from, if any: what its administrator chose for that store replaces the rules for publishers
 * @param comesFromElsewhere whether another CI workflow uploaded or built the latest published version, where none counts as another
 */
export function routeReview(
  diff: PermissionDiff,
  issues: readonly Issue[],
  publisher: Pick<Publisher, 'slug' | 'verified'>,
  policy: ReviewPolicy,
  {
    comesFromElsewhere = false,
    origin,
  }: { comesFromElsewhere?: boolean; origin?: { review: boolean } | undefined } = {},
): string[] {
  const flagged = issues
    .map(({ code }) => code)
    .filter((code) => code === MISSING_REQUIREMENT || policy.flaggedCodes.has(code))
    .filter((code) => !isKnownLook(diff, code));
  return [
    ...reasonsOf(diff, publisher, policy, { comesFromElsewhere, origin }),
    ...[...new Set(flagged)].sort().map((code) => `flagged:${code}`),
  ];
}
