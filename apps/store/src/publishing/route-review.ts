import type { Issue, PermissionDiff } from '@svc/contracts';

/** Warnings that send a version to a person. */
export type ReviewPolicy = { flaggedCodes: ReadonlySet<string> };

/**
 * Decides whether a person must look at a version: an empty list means that it may be published at once.
 * @param diff against the latest published version
 * @param issues what the checks found
 */
export function routeReview(
  diff: PermissionDiff,
  issues: readonly Issue[],
  publisher: { verified: boolean },
  policy: ReviewPolicy,
): string[] {
  const flags = issues.map(({ code }) => code).filter((code) => policy.flaggedCodes.has(code));
  const first = diff.baseVersion === null;
  return [
    ...(first ? ['first-version'] : []),
    // A first version widens from nothing, which "first-version" says already.
    ...(!first && diff.widens ? ['permissions-widened'] : []),
    ...(publisher.verified ? [] : ['publisher-unverified']),
    ...[...new Set(flags)].sort().map((code) => `flagged:${code}`),
  ];
}
