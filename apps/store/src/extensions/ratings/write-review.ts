import type { NewReview } from '@svc/contracts';
import type { PersonCaller } from '../../core/domain/identity/caller.ts';
import { updateRank } from '../../core/domain/listings/app-stats-store.ts';
import type { ChangeParts, Stores } from '../../core/domain/parts/parts.ts';
import { type DownloadRecorder, hashOfInstall } from '../../core/installs/download-recorder.ts';
import type { InstallStore } from '../../core/installs/install-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { Mac } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { FlagStore } from './flag-store.ts';
import { isShown, type Rating, type RatingStore, type Written } from './rating-store.ts';
import { requireListed } from './read-reviews.ts';

export type HideStores = Pick<RatingStores, 'ratings' | 'appStats' | 'listings'>;

/**
 * Hides all reviews of a person and removes their stars from the averages, or restores them. Many suspended accounts were created to
 * rate an app, which must not keep those stars. Call it in the transaction that changes the suspension.
 */
export async function hideReviewsOf(stores: HideStores, personId: string, withheld: boolean): Promise<void> {
  for (const { appId, stars } of await stores.ratings.withhold(personId, withheld)) {
    await adjustHistogram(stores, appId, withheld ? stars : null, withheld ? null : stars);
  }
}

/** Limits how many apps one account can rate in a short time. */
const REVIEWS: Rate = { what: 'reviews', limit: 30, windowMs: 60 * 60_000 };

/** An account counts as new for a day, in milliseconds. */
const NEW_MS = 24 * 60 * 60_000;

/** How many new accounts rate an app within a day before the reviews of others wait for a moderator, and how many reviews are counted. */
const NEW_ACCOUNTS = 20;
const COUNTED = 200;

/** The stores that change with a rating, in one transaction, so that the averages match the public reviews. */
export type RatingStores = CoreStores & { ratings: RatingStore; flags: FlagStore };

/** Those of them that the core has. */
export type CoreStores = Stores & { installs: InstallStore };

export type WriteDeps = ChangeParts<RatingStores> &
  Pick<DownloadRecorder, 'settleInstall'> & { installMac: Mac };

/** The stars that a rating contributes to the average of its app; null when it contributes none. */
export const starsOf = (rating: Pick<Rating, 'stars' | 'hidden' | 'withheld'> | null): number | null =>
  rating && isShown(rating) ? rating.stars : null;

/** Updates the histogram of an app after a rating has changed. Call it in the transaction of the change. */
export async function adjustHistogram(
  stores: Pick<RatingStores, 'appStats' | 'listings'>,
  appId: string,
  from: number | null,
  to: number | null,
): Promise<void> {
  if (from === to) return;
  await stores.appStats.adjustHistogram(appId, from, to);
  await updateRank(stores, appId);
}

/**
 * Refuses a person who may not rate an app. Checked in the transaction, as the person may have been suspended, or become a member,
 * since the request arrived.
 */
async function requireMayRate(
  { apps, listings, people }: RatingStores,
  { person }: PersonCaller,
  appId: string,
) {
  await requireListed(listings, appId);
  const { publisher } = (await apps.find(appId)) ?? {};
  if (publisher === undefined) throw new Error('A listed app is missing.');
  if ((await people.find(person.id))?.suspended !== false)
    throw new ApiError('unauthorized', 'Your account is suspended.');
  if (!(await people.membershipsOf(person.id)).has(publisher)) return;
  throw new ApiError(
    'forbidden',
    `You are a member of ${publisher}, the publisher of this app: members cannot rate it.`,
  );
}

/**
 * The version that a person has installed. An installation is permanently assigned to one person per app: otherwise a person with a
 * hundred accounts would need to install the app only once.
 */
async function requireInstalled(
  { installs }: RatingStores,
  { person }: PersonCaller,
  appId: string,
  idHash: string | null,
): Promise<string> {
  const installation =
    idHash === null ? await installs.ownedBy(person.id, appId) : (await installs.known([idHash]))[0];
  if (!installation) {
    throw new ApiError(
      'forbidden',
      'Install the app before you rate it, and send the installId with which the client downloaded it. If that was just now, try again in a minute.',
    );
  }
  if (await installs.bind(installation.idHash, person.id)) return installation.version;
  throw new ApiError('forbidden', 'Another user has already rated the app with this installation.');
}

/**
 * Whether the first review by a new account is held: many new accounts rate one app within a day when an attacker creates them for it. Those
 * that came before stay; moderators see them beside it.
 */
async function isHeld(
  stores: RatingStores,
  { person }: PersonCaller,
  appId: string,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - NEW_MS).toISOString();
  if (person.createdAt < since) return false;
  return (await stores.ratings.ofNewAccounts(appId, since, COUNTED)) >= NEW_ACCOUNTS;
}

/** Saves a review. A hidden review stays hidden, and waits for a moderator again. */
async function save(
  deps: WriteDeps,
  stores: RatingStores,
  before: Rating | null,
  written: Omit<Written, 'createdAt' | 'waitingSince'>,
  { caller, appId }: { caller: PersonCaller; appId: string },
) {
  const { updatedAt: at } = written;
  if (!before) {
    const id = deps.newId();
    const held = await isHeld(stores, caller, appId, new Date(at));
    const of = { personId: caller.person.id, appId };
    await stores.ratings.add({ id, ...of, ...written, createdAt: at, waitingSince: held ? at : null });
    return { id, stars: held ? null : written.stars };
  }
  const { id, hidden, waitingSince, removed, createdAt } = before;
  await stores.ratings.rewrite(id, {
    ...written,
    createdAt: removed ? at : createdAt,
    waitingSince: hidden ? (waitingSince ?? at) : waitingSince,
  });
  return { id, stars: starsOf({ ...before, stars: written.stars }) };
}

/**
 * Writes or edits the caller's review of an app.
 * @param installId the id of their installation; null for one that is assigned to them already
 * @returns the remaining quota of reviews
 * @throws ApiError not_found, forbidden, unauthorized, rate_limited
 */
export async function writeReview(
  deps: WriteDeps,
  caller: PersonCaller,
  appId: string,
  { rating: stars, title = '', body = '' }: NewReview,
  installId: string | null,
): Promise<Quota> {
  const personId = caller.person.id;
  const idHash = installId === null ? null : hashOfInstall(deps.installMac, appId, installId);
  // Outside the transaction, as it is one itself. It counts a download of just now, so that the user need not wait.
  if (idHash !== null) await deps.settleInstall(idHash);
  return deps.unitOfWork(async (stores) => {
    const quota = await consume({ ...deps, ...stores }, REVIEWS, `review ${caller.name}`);
    await requireMayRate(stores, caller, appId);
    const version = await requireInstalled(stores, caller, appId, idHash);
    const before = await stores.ratings.of(personId, appId);
    const updatedAt = deps.clock().toISOString();
    const saved = await save(
      deps,
      stores,
      before,
      { stars, title, body, version, updatedAt },
      { caller, appId },
    );
    await adjustHistogram(stores, appId, starsOf(before), saved.stars);
    const detail = { rating: saved.id, stars };
    await stores.audit.add(caller, updatedAt, { action: 'rating.write', appId, detail });
    return quota;
  });
}

/**
 * Deletes the caller's review of an app with its text. That it was hidden is recorded, so that a new review is hidden too.
 * @throws ApiError not_found
 */
export async function deleteReview(
  { unitOfWork, clock }: Pick<WriteDeps, 'clock'> & { unitOfWork: UnitOfWork<RatingStores> },
  caller: PersonCaller,
  appId: string,
): Promise<void> {
  await unitOfWork(async (stores) => {
    const before = await stores.ratings.of(caller.person.id, appId);
    if (!before || before.removed) throw new ApiError('not_found', `You have not reviewed ${appId}.`);
    const at = clock().toISOString();
    if (before.hidden) await stores.ratings.blank(before.id, at);
    else await stores.ratings.remove(before.id);
    await adjustHistogram(stores, appId, starsOf(before), null);
    await stores.audit.add(caller, at, { action: 'rating.remove', appId, detail: { rating: before.id } });
  });
}
