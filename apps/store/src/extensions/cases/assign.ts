import {
  type AssignmentRequest,
  type CaseAssignment,
  type CaseAssignments,
  type CaseKind,
  versionOfSubject,
} from '@svc/contracts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Person } from '../../core/domain/identity/person-store.ts';
import { mailUser } from '../../core/domain/mail/post-mail.ts';
import type { ChangeParts, Stores as CoreStores, Parts } from '../../core/domain/parts/parts.ts';
import type { ReviewPeriod } from '../../core/domain/versions/review-clock.ts';
import { assignReview, requireModerator } from '../../core/moderation/lock-review.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { CaseStore } from './case-store.ts';

type Stores = CoreStores & { cases: CaseStore };

export type CaseDeps = Omit<ChangeParts, 'unitOfWork'> &
  Pick<Parts, 'hooks' | 'db'> & { cases: CaseStore; unitOfWork: UnitOfWork<Stores>; policy: ReviewPeriod };

/** A case: `subject` names it among those of its kind. */
type Case = { kind: CaseKind; subject: string };

const NONE: ReadonlySet<string> = new Set();

/** The publishers whose reports a moderator must not see. */
const publishersOf = (caller: Caller): ReadonlySet<string> =>
  caller.kind === 'automation' ? NONE : new Set(caller.memberships.keys());

/**
 * Finds the moderator whom a case is to be given: not a member of the publisher that was reported.
 * @throws ApiError invalid_request
 */
async function requireAssignee(
  { hooks }: Pick<Parts, 'hooks'>,
  stores: Stores,
  { kind, subject }: Case,
  to: string,
): Promise<Person> {
  const person = await requireModerator(stores, to);
  const own = new Set((await stores.people.membershipsOf(person.id)).keys());
  if (await hooks.isWaiting(stores, kind, subject, own)) return person;
  throw invalidField('to', 'Use another moderator.', 'This moderator is a member of the publisher.');
}

/** The moderator of a waiting case. @throws ApiError not_found, already_handled when it is not the one that was read */
async function assigneeOf(
  { hooks }: Pick<Parts, 'hooks'>,
  stores: Stores,
  { kind, subject, own }: Case & { own: ReadonlySet<string> },
  read: string | null | undefined,
): Promise<string | null> {
  if (!(await hooks.isWaiting(stores, kind, subject, own)))
    throw new ApiError('not_found', 'No such case waits for a moderator: another one may have decided it.');
  const now = await stores.cases.assignedTo(kind, subject);
  if (read === undefined || read === now) return now;
  const message = 'The case has been assigned to another moderator: reload it and try again.';
  throw new ApiError('already_handled', message);
}

/** Assigns a version, whose assignment is in the queue. */
async function assignVersion(
  deps: CaseDeps,
  caller: Caller,
  { kind, subject }: Case,
  request: AssignmentRequest,
): Promise<CaseAssignment> {
  const { assignedTo } = await assignReview(deps, caller, versionOfSubject(subject), request);
  return { kind, subject, assignedTo };
}

/**
 * Assigns a waiting case to a moderator, or to none. Of two concurrent requests with the same `from`, one succeeds.
 * @throws ApiError invalid_request, not_found, already_handled
 */
export function assignCase(
  deps: CaseDeps,
  caller: Caller,
  { kind, subject }: Case,
  request: AssignmentRequest,
): Promise<CaseAssignment> {
  if (kind === 'version') return assignVersion(deps, caller, { kind, subject }, request);
  const { to, from } = request;
  return deps.unitOfWork(async (stores) => {
    const one = { kind, subject, own: publishersOf(caller) };
    const before = await assigneeOf(deps, stores, one, from);
    const person = to === null ? null : await requireAssignee(deps, stores, one, to);
    if (to === before) return { kind, subject, assignedTo: to };
    if (to === null) await stores.cases.unassign(kind, subject);
    else await stores.cases.assign(kind, subject, to);
    const detail = { kind, subject, to: to ?? '' };
    await stores.audit.add(caller, deps.clock().toISOString(), { action: 'case.assign', detail });
    if (person && to !== caller.name)
      await mailUser(deps, stores, person, { kind: 'case-assigned', detail: { kind } });
    return { kind, subject, assignedTo: to };
  });
}

/** The assigned cases that are not versions, without those that the caller must not see, and how long a case may wait. */
export async function caseAssignments(
  { cases, policy, hooks, db, apps }: CaseDeps & Pick<Parts, 'apps'>,
  caller: Caller,
): Promise<CaseAssignments> {
  const [all, own] = [await cases.all(), publishersOf(caller)];
  const seen = await Promise.all(
    all.map(({ kind, subject }) => own.size === 0 || hooks.isWaiting({ db, apps }, kind, subject, own)),
  );
  return { assignments: all.filter((_, n) => seen[n]), reviewMs: policy.reviewMs };
}

/** Removes the assignments of cases that were decided. */
export async function dropDecided({ unitOfWork, cases, hooks }: CaseDeps): Promise<void> {
  for (const { kind, subject } of await cases.all())
    await unitOfWork(async (stores) => {
      if (!(await hooks.isWaiting(stores, kind, subject, NONE))) await stores.cases.unassign(kind, subject);
    });
}
