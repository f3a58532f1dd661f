import type { LockState, ReviewLock, UnlockQuery } from '@svc/contracts';
import { type Caller, isAdministrator, personId } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import { liveLock } from '../domain/versions/place-in-queue.ts';
import type { ReviewStore } from '../domain/versions/review-store.ts';
import { requireVersion } from '../domain/versions/version-status.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { endOf } from '../platform/terms.ts';

/** What a lock is taken and judged by, in one transaction. */
export type LockStores = {
  versions: VersionStore;
  reviews: ReviewStore;
  people: Pick<PersonStore, 'find'>;
};

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

/** What a holder on record is called: automation has no other name. */
async function holderName({ people }: LockStores, by: string): Promise<string> {
  const id = personId(by);
  return (id === null ? null : await people.find(id))?.name ?? by;
}

/**
 * Refuses a caller who would interfere with another moderator at work.
 * @throws ApiError not_found, already_handled, locked with the name of the holder
 */
export async function requireNoLockOfOthers(
  stores: LockStores,
  { name: caller }: Caller,
  ref: VersionRef,
  now: string,
): Promise<void> {
  const lock = liveLock((await requireWaiting(stores, ref)).lock, now);
  if (!lock || lock.by === caller) return;
  const name = await holderName(stores, lock.by);
  throw new ApiError('locked', `${name} looks at this version until ${lock.until}.`, {
    status: 'in_review',
    lock: { ...lock, name },
  });
}

/**
 * Tells others that this moderator looks at a version in review, or goes on looking.
 * @throws ApiError not_found, already_handled, locked
 */
export function lockReview(
  deps: LockDeps,
  moderator: Caller,
  ref: VersionRef,
  { page = null }: { page?: string | null | undefined } = {},
): Promise<LockState> {
  return deps.unitOfWork(async (stores) => {
    const moment = deps.clock();
    const now = moment.toISOString();
    const until = endOf('versions.locked_until', moment);
    const lock = { by: moderator.name, until };
    if (!(await stores.reviews.lock(ref, { ...lock, page }, now))) {
      await requireNoLockOfOthers(stores, moderator, ref, now);
      throw new Error('A version that nobody holds could not be locked.');
    }
    return { appId: ref.appId, version: ref.version, lock };
  });
}

/** Ends the lock that a page took, when it closes: never that of another page, another moderator, or a decided version. */
async function endLockOfPage(
  { reviews, versions }: LockStores,
  { name }: Caller,
  ref: VersionRef,
  { page, now }: { page: string; now: string },
): Promise<ReviewLock | null> {
  await requireVersion(versions, ref);
  await reviews.unlock(ref, { by: name, page });
  return liveLock((await reviews.standing(ref))?.lock ?? null, now);
}

/**
 * Leaves a version in review to others. The lock of another goes only before an administrator.
 * @throws ApiError not_found, already_handled, locked
 */
export function unlockReview(
  deps: LockDeps,
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
