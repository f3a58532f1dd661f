import type { Issue, PermissionDiff, Publisher } from '@svc/contracts';
import { MISSING_REQUIREMENT } from '../domain/versions/missing-requirements.ts';

/** What sends a version to a person. */
export type ReviewPolicy = {
  /** Warnings that do, for every publisher. */
  flaggedCodes: ReadonlySet<string>;
  /** Slugs of publishers whose versions nothing else sends there. */
  skipReview: ReadonlySet<string>;
};

/** Reason for an update by which people would recognise or judge the app otherwise. */
const FACE_CHANGED = 'flagged:face.changed';

function reasonsOfDiff(diff: PermissionDiff, publisher: { verified: boolean }): string[] {
  const first = diff.baseVersion === null;
  return [
    ...(first ? ['first-version'] : []),
    // A first version widens from nothing, which "first-version" says already.
    ...(!first && diff.widens ? ['permissions-widened'] : []),
    ...(!first && diff.changes.some(({ kind }) => kind === 'face') ? [FACE_CHANGED] : []),
    ...(publisher.verified ? [] : ['publisher-unverified']),
  ];
}

/**
 * Decides whether a person must look at a version: an empty list means that it may be published at once.
 * @param diff against the latest published version
 * @param issues what the checks found
 */
export function routeReview(
  diff: PermissionDiff,
  issues: readonly Issue[],
  publisher: Pick<Publisher, 'slug' | 'verified'>,
  policy: ReviewPolicy,
): string[] {
  const flagged = issues
    .map(({ code }) => code)
    .filter((code) => code === MISSING_REQUIREMENT || policy.flaggedCodes.has(code));
  return [
    ...(policy.skipReview.has(publisher.slug) ? [] : reasonsOfDiff(diff, publisher)),
    ...[...new Set(flagged)].sort().map((code) => `flagged:${code}`),
  ];
}
