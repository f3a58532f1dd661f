import type { PersonRole, Review } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import type { MemberStore } from '../domain/identity/member-store.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { VersionRecord } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';

/** Whether approvals must be independent of the uploader of a version, and of its publisher. */
export type IndependencePolicy = { independentReview: boolean };

type Deps = {
  members: Pick<MemberStore, 'of'>;
  people: Pick<PersonStore, 'search'>;
  policy: IndependencePolicy;
};

/** Whether another person could decide: in a store that one person runs, no approval could be independent. */
async function hasColleague({ people }: Deps, id: string): Promise<boolean> {
  const search = (role: PersonRole) => people.search({ role, suspended: false, after: null, limit: 2 });
  const found = await Promise.all([search('moderator'), search('administrator')]);
  return found.flat().some((person) => person.id !== id);
}

/**
 * Why the policy keeps a caller from approving a version; null when it does not. Automation is not bound: it acts for the
 * operator, who could as well change the policy. Nor is the only person who can decide.
 */
export async function conflictOf(
  deps: Deps,
  caller: Caller,
  { publisher, submittedBy }: Pick<VersionRecord, 'publisher' | 'submittedBy'>,
): Promise<Review['conflict']> {
  if (!deps.policy.independentReview || caller.kind !== 'person') return null;
  const { id } = caller.person;
  const isUploader = submittedBy === caller.name;
  const isMember = isUploader || (await deps.members.of(publisher)).some(({ personId }) => personId === id);
  if (!isMember || !(await hasColleague(deps, id))) return null;
  return isUploader ? 'uploader' : 'member';
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
