import type { LockState } from '@svc/contracts';
import { type Caller, isAdministrator } from '../domain/identity/caller.ts';
import { liveLock } from '../domain/versions/place-in-queue.ts';
import type { ReviewStore } from '../domain/versions/review-store.ts';
import { requireVersion } from '../domain/versions/version-status.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { endOf } from '../platform/terms.ts';

/** What a lock is taken and judged by, in one transaction. */
export type LockStores = { versions: VersionStore; reviews: ReviewStore };

type LockDeps = { unitOfWork: UnitOfWork<LockStores>; clock: Clock };

/**
 * How a version stands that waits for a person.
 * @throws ApiError not_found, already_handled
 */
export async function requireWaiting(stores: LockStores, ref: VersionRef) {
  const standing = await stores.reviews.standing(ref);
  if (standing) return standing;
  const { state: status } = await requireVersion(stores.versions, ref);
  throw new ApiError('already_handled', `This version is ${status}, and not in review.`, { status });
}

/**
 * Refuses a moderator who would interfere with another moderator at work.
 * @throws ApiError not_found, already_handled with the lock
 */
export async function requireNoLockOfOthers(
  stores: LockStores,
  { name }: Caller,
  ref: VersionRef,
  now: string,
): Promise<void> {
  const lock = liveLock((await requireWaiting(stores, ref)).lock, now);
  if (!lock || lock.by === name) return;
  throw new ApiError('already_handled', `${lock.by} looks at this version until ${lock.until}.`, {
    status: 'in_review',
    lock,
  });
}

/**
 * Tells others that this moderator looks at a version in review, or goes on looking.
 * @throws ApiError not_found, already_handled
 */
export function lockReview(deps: LockDeps, moderator: Caller, ref: VersionRef): Promise<LockState> {
  return deps.unitOfWork(async (stores) => {
    const moment = deps.clock();
    const now = moment.toISOString();
    const until = endOf('versions.locked_until', moment);
    const lock = { by: moderator.name, until };
    if (!(await stores.reviews.lock(ref, lock, now))) {
      await requireNoLockOfOthers(stores, moderator, ref, now);
      throw new Error('A version that nobody holds could not be locked.');
    }
    return { appId: ref.appId, version: ref.version, lock };
  });
}

/**
 * Leaves a version in review to others. The lock of another goes only before an administrator.
 * @throws ApiError not_found, already_handled
 */
export function unlockReview(deps: LockDeps, moderator: Caller, ref: VersionRef): Promise<LockState> {
  return deps.unitOfWork(async (stores) => {
    if (isAdministrator(moderator)) await requireWaiting(stores, ref);
    else await requireNoLockOfOthers(stores, moderator, ref, deps.clock().toISOString());
    await stores.reviews.unlock(ref);
    return { appId: ref.appId, version: ref.version, lock: null };
  });
}
