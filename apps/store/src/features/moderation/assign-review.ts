import type { Assignment, AssignmentRequest } from '@svc/contracts';
import { type Caller, personId } from '../../domain/identity/caller.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { type PostDeps, postMail } from '../../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../../domain/parts/parts.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion } from '../../domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';
import { requireWaiting } from './lock-review.ts';

/**
 * Finds the moderator of a name on record.
 * @throws ApiError invalid_request
 */
async function requireModerator({ people }: Stores, by: string): Promise<Person> {
  const id = personId(by);
  const person = id === null ? null : await people.find(id);
  if (person && person.role !== 'person' && !person.suspended) return person;
  const issue = {
    level: 'error' as const,
    path: '/to',
    message: 'Use the `by` of a moderator who is not suspended.',
  };
  throw new ApiError('invalid_request', 'This is not an active moderator: see /api/moderation/moderators.', {
    issues: [{ code: 'invalid_request', ...issue }],
  });
}

/** Sends a mail to a moderator to whom another one assigned a version. */
async function notifyAssignee(
  deps: PostDeps,
  stores: Stores,
  { email, emailVerified }: Person,
  ref: VersionRef,
) {
  if (email === null || !emailVerified) return;
  const { appId, version } = ref;
  await postMail(deps, stores, email, { kind: 'review-assigned', detail: { appId, version } });
}

/**
 * Assigns a version in review to a moderator, or to none. Of two concurrent requests with the same `from`, one succeeds.
 * @throws ApiError invalid_request, not_found, already_handled
 */
export function assignReview(
  deps: ChangeParts,
  caller: Caller,
  ref: VersionRef,
  { to, from }: AssignmentRequest,
): Promise<Assignment> {
  return deps.unitOfWork(async (stores) => {
    const { assignedTo } = await requireWaiting(stores, ref);
    const { appId, version, publisher } = await requireVersion(stores.versions, ref);
    if (from !== undefined && from !== assignedTo) {
      const message = 'The version has been assigned to another moderator: reload it and try again.';
      throw new ApiError('already_handled', message, { status: 'in_review' });
    }
    const person = to === null ? null : await requireModerator(stores, to);
    if (to !== assignedTo) {
      await stores.reviews.assign(ref, to);
      const at = deps.clock().toISOString();
      const detail = { to: to ?? '' };
      await stores.audit.add(caller, at, { action: 'version.assign', appId, version, publisher, detail });
      if (person && to !== caller.name) await notifyAssignee(deps, stores, person, { appId, version });
    }
    return { appId, version, assignedTo: to };
  });
}
