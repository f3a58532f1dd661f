import type { AssignmentRequest, CaseAssignment, CaseAssignments, CaseKind } from '@svc/contracts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import { mailUser } from '../../core/domain/mail/post-mail.ts';
import type { ChangeParts, Stores as CoreStores, Parts } from '../../core/domain/parts/parts.ts';
import type { ReviewPeriod } from '../../core/domain/versions/review-clock.ts';
import { assignReview, requireModerator } from '../../core/moderation/lock-review.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { CaseStore } from './case-store.ts';

type Stores = CoreStores & { cases: CaseStore };

export type CaseDeps = Omit<ChangeParts, 'unitOfWork'> &
  Pick<Parts, 'hooks' | 'db'> & { cases: CaseStore; unitOfWork: UnitOfWork<Stores>; policy: ReviewPeriod };

/** A case: `subject` names it among those of its kind. */
type Case = { kind: CaseKind; subject: string };

async function requireOpen({ hooks }: Pick<Parts, 'hooks'>, stores: Stores, { kind, subject }: Case) {
  if (await hooks.isWaiting(stores, kind, subject)) return;
  throw new ApiError('not_found', 'No such case waits for a moderator: another one may have decided it.');
}

/** Assigns a version, whose assignment is in the queue. */
async function assignVersion(
  deps: CaseDeps,
  caller: Caller,
  { kind, subject }: Case,
  request: AssignmentRequest,
): Promise<CaseAssignment> {
  const [appId = '', version = ''] = subject.split(' ');
  const { assignedTo } = await assignReview(deps, caller, { appId, version }, request);
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
    await requireOpen(deps, stores, { kind, subject });
    const before = await stores.cases.assignedTo(kind, subject);
    if (from !== undefined && from !== before)
      throw new ApiError(
        'already_handled',
        'The case has been assigned to another moderator: reload it and try again.',
      );
    const person = to === null ? null : await requireModerator(stores, to);
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

/** The assigned cases that are not versions, and how long a case may wait. */
export const caseAssignments = async ({
  cases,
  policy,
}: Pick<CaseDeps, 'cases' | 'policy'>): Promise<CaseAssignments> => ({
  assignments: await cases.all(),
  reviewMs: policy.reviewMs,
});

/** Removes the assignments of cases that were decided. */
export const dropDecided = ({ unitOfWork, cases, hooks }: CaseDeps) =>
  async function drop(): Promise<void> {
    for (const { kind, subject } of await cases.all())
      await unitOfWork(async (stores) => {
        if (!(await hooks.isWaiting(stores, kind, subject))) await stores.cases.unassign(kind, subject);
      });
  };
