import type { PersonRole, Review } from '@svc/contracts';
import { ApiError } from '../../../platform/api-error.ts';
import { type Caller, personId } from '../identity/caller.ts';
import type { MemberStore } from '../identity/member-store.ts';
import type { PersonStore } from '../identity/person-store.ts';
import type { VersionRecord } from '../versions/version-record.ts';

/** Whether a version must be approved by a moderator who neither uploaded it nor is a member of its publisher. */
export type IndependencePolicy = { independentReview: boolean };

export type IndependenceDeps = {
  members: Pick<MemberStore, 'of'>;
  people: Pick<PersonStore, 'search'>;
  policy: IndependencePolicy;
};

/** Whether another moderator exists: with only one, no approval could be independent. */
async function hasColleague({ people }: IndependenceDeps, id: string): Promise<boolean> {
  const search = (role: PersonRole) => people.search({ role, suspended: false, after: null, limit: 2 });
  const pages = await Promise.all([search('moderator'), search('administrator')]);
  return pages.flatMap(({ rows }) => rows).some((person) => person.id !== id);
}

/**
 * The conflict of interest for which the policy forbids a user, by recorded name, to approve a version; null when there is none. The policy
 * does not apply to automation, which acts for the operator, nor to the only moderator.
 */
export async function conflictOf(
  deps: IndependenceDeps,
  { name }: Pick<Caller, 'name'>,
  { publisher, submittedBy }: Pick<VersionRecord, 'publisher' | 'submittedBy'>,
): Promise<Review['conflict']> {
  const id = personId(name);
  if (!deps.policy.independentReview || id === null) return null;
  const isUploader = submittedBy === name;
  const isMember = isUploader || (await deps.members.of(publisher)).some(({ personId }) => personId === id);
  if (!isMember || !(await hasColleague(deps, id))) return null;
  return isUploader ? 'uploader' : 'member';
}

const WHY = {
  uploader: 'You uploaded this version',
  member: 'You are a member of the publisher of this version',
} as const;

/**
 * Refuses an approval of a version, or of the tools of its server, that is not independent.
 * @throws ApiError forbidden
 */
export async function requireIndependent(
  deps: IndependenceDeps,
  caller: Caller,
  version: Pick<VersionRecord, 'publisher' | 'submittedBy'>,
): Promise<void> {
  const conflict = await conflictOf(deps, caller, version);
  if (!conflict) return;
  throw new ApiError(
    'forbidden',
    `${WHY[conflict]}: another moderator must approve it. An operator can allow this with "independentReview": false in the policy.`,
  );
}
