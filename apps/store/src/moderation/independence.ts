import type { Review } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import type { MemberStore } from '../domain/identity/member-store.ts';
import type { VersionRecord } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';

/** Whether approvals must be independent of whoever uploaded a version, and of its publisher. */
export type IndependencePolicy = { independentReview: boolean };

type Deps = { members: Pick<MemberStore, 'of'>; policy: IndependencePolicy };

/**
 * Why the policy keeps a caller from approving a version; null when it does not. Automation is not bound: it acts for the
 * operator, who could as well change the policy.
 */
export async function conflictOf(
  { members, policy }: Deps,
  caller: Caller,
  { publisher, submittedBy }: Pick<VersionRecord, 'publisher' | 'submittedBy'>,
): Promise<Review['conflict']> {
  if (!policy.independentReview || caller.kind !== 'person') return null;
  if (submittedBy === caller.name) return 'uploader';
  const acting = await members.of(publisher);
  return acting.some(({ personId }) => personId === caller.person.id) ? 'member' : null;
}

const WHY = {
  uploader: 'You uploaded this version',
  member: 'You are a member of the publisher of this version',
} as const;

/**
 * Refuses an approval that is not independent.
 * @throws ApiError forbidden
 */
export async function requireIndependent(
  deps: Deps,
  caller: Caller,
  version: Pick<VersionRecord, 'publisher' | 'submittedBy'>,
): Promise<void> {
  const conflict = await conflictOf(deps, caller, version);
  if (!conflict) return;
  throw new ApiError(
    'forbidden',
    `${WHY[conflict]}: another moderator approves it. An operator can set "independentReview": false in the policy.`,
  );
}
