import type { Assignment, AssignmentRequest, LockState, ReviewLock, UnlockQuery } from '@svc/contracts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import { endOf } from '../../platform/terms.ts';
import { type Caller, isAdministrator, personId } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { mailUser } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../domain/parts/parts.ts';
import { liveLock } from '../domain/versions/review-clock.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion } from '../domain/versions/version-status.ts';

/**
 * Finds the moderator of a name on record.
 * @throws ApiError invalid_request
 */
export async function requireModerator({ people }: Stores, by: string): Promise<Person> {
  const id = personId(by);
  const person = id === null ? null : await people.find(id);
  if (person && person.role !== 'person' && !person.suspended) return person;
  throw invalidField(
    'to',
    'Use the `by` of a moderator who is not suspended.',
    'This is not an active moderator: see /api/moderation/moderators.',
  );
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
      if (person && to !== caller.name)
        await mailUser(deps, stores, person, { kind: 'review-assigned', detail: { appId, version } });
    }
    return { appId, version, assignedTo: to };
  });
}

/**
 * Finds the review of a version in review.
 * @throws ApiError not_found, already_handled
 */
export async function requireWaiting(stores: Stores, ref: VersionRef) {
  const review = await stores.reviews.reviewState(ref);
  if (review) return review;
  const { state: status } = await requireVersion(stores.versions, ref);
  const message =
    status === 'in_review'
      ? 'This version waits outside the queue: its app, publisher or submitter is suspended.'
      : `This version is ${status}, not in review.`;
  throw new ApiError('already_handled', message, { status });
}

/** The display name of the holder of a lock. Automation has none but its name on record. */
async function holderName({ people }: Stores, by: string): Promise<string> {
  const id = personId(by);
  return (id === null ? null : await people.find(id))?.name ?? by;
}

/**
 * Refuses a caller while another moderator holds the lock.
 * @throws ApiError not_found, already_handled, locked with the name of the holder
 */
export async function requireNoLockOfOthers(
  stores: Stores,
  { name: caller }: Caller,
  ref: VersionRef,
  now: string,
): Promise<void> {
  const lock = liveLock((await requireWaiting(stores, ref)).lock, now);
  if (!lock || lock.by === caller) return;
  const name = await holderName(stores, lock.by);
  throw new ApiError('locked', `${name} is reviewing this version until ${lock.until}.`, {
    status: 'in_review',
    lock: { ...lock, name },
  });
}

/**
 * Locks a version in review for a moderator, or extends their lock.
 * @throws ApiError not_found, already_handled, locked
 */
export function lockReview(
  deps: ChangeParts,
  moderator: Caller,
  ref: VersionRef,
  { page = null }: { page?: string | null | undefined } = {},
): Promise<LockState> {
  return deps.unitOfWork(async (stores) => {
    const time = deps.clock();
    const now = time.toISOString();
    const until = endOf('versions.locked_until', time);
    const lock = { by: moderator.name, until };
    if (!(await stores.reviews.lock(ref, { ...lock, page }, now))) {
      await requireNoLockOfOthers(stores, moderator, ref, now);
      throw new Error('A version without a lock could not be locked.');
    }
    return { appId: ref.appId, version: ref.version, lock };
  });
}

/** Ends the lock of a page when it closes, but never the lock of another page or moderator. */
async function endLockOfPage(
  { reviews, versions }: Stores,
  { name }: Caller,
  ref: VersionRef,
  { page, now }: { page: string; now: string },
): Promise<ReviewLock | null> {
  await requireVersion(versions, ref);
  await reviews.unlock(ref, { by: name, page });
  return liveLock((await reviews.reviewState(ref))?.lock ?? null, now);
}

/**
 * Unlocks a version in review. Only an administrator can remove the lock of another moderator.
 * @throws ApiError not_found, already_handled, locked
 */
export function unlockReview(
  deps: ChangeParts,
  moderator: Caller,
  ref: VersionRef,
  { page }: UnlockQuery = {},
): Promise<LockState> {
  return deps.unitOfWork(async (stores) => {
    const { appId, version } = ref;
    const now = deps.clock().toISOString();
    if (page !== undefined) {
      return { appId, version, lock: await endLockOfPage(stores, moderator, ref, { page, now }) };
    }
    if (isAdministrator(moderator)) await requireWaiting(stores, ref);
    else await requireNoLockOfOthers(stores, moderator, ref, now);
    await stores.reviews.unlock(ref);
    return { appId, version, lock: null };
  });
}
