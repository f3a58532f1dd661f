import type { NewReview } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { AppStatsStore } from '../domain/listings/app-stats-store.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import { updateRank } from '../domain/listings/update-rank.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { type DownloadRecorder, hashOfInstall } from '../installs/download-recorder.ts';
import type { InstallStore } from '../installs/install-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../platform/rate.ts';
import type { RateLimitStore } from '../platform/rate-limit-store.ts';
import type { Mac } from '../platform/secret.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { isShown, type Rating, type RatingStore, type Written } from './rating-store.ts';
import { requireListed } from './read-reviews.ts';

/** Nobody has that much to say: it bounds what one account can do to many apps. */
const REVIEWS: Rate = { what: 'reviews', limit: 30, windowMs: 60 * 60_000 };

/** What changes with a rating: all of it in one transaction, so that the sums are those of what is shown. */
export type RatingStores = {
  ratings: RatingStore;
  appStats: AppStatsStore;
  listings: ListingStore;
  audit: AuditLog;
};

type WriteStores = RatingStores & {
  apps: AppStore;
  people: PersonStore;
  installs: InstallStore;
  rateLimits: RateLimitStore;
};

export type WriteDeps = Pick<DownloadRecorder, 'settleInstall'> & {
  unitOfWork: UnitOfWork<WriteStores>;
  clock: Clock;
  /** A fresh unique name. */
  newId(): string;
  installMac: Mac;
};

/** The stars that a rating brings to the sums of its app; null when it brings none. */
export const starsOf = (rating: Pick<Rating, 'stars' | 'hidden' | 'withheld'> | null): number | null =>
  rating && isShown(rating) ? rating.stars : null;

/** Brings the sums of an app in line with a rating that has changed. Run it in the transaction that changed it. */
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
 * Refuses a person who may not rate an app, asked now: a person may have been suspended, or become a member, since the request
 * came in.
 */
async function requireMayRate(
  { apps, listings, people }: WriteStores,
  { person }: PersonCaller,
  appId: string,
) {
  await requireListed(listings, appId);
  const { publisher } = (await apps.find(appId)) ?? {};
  if (publisher === undefined) throw new Error('An app is listed that nobody has.');
  if ((await people.find(person.id))?.suspended !== false)
    throw new ApiError('unauthorized', 'You are suspended.');
  if (!(await people.membershipsOf(person.id)).has(publisher)) return;
  throw new ApiError('forbidden', `You act for ${publisher}, whose app this is: let others rate it.`);
}

/**
 * The version that a person has installed. An installation speaks for one person in each app, for good: with one that could
 * be passed on, a person with a hundred accounts would need to install the app only once.
 */
async function requireInstalled(
  { installs }: WriteStores,
  { person }: PersonCaller,
  appId: string,
  idHash: string | null,
): Promise<string> {
  const found =
    idHash === null ? await installs.ownedBy(person.id, appId) : (await installs.known([idHash]))[0];
  if (!found) {
    throw new ApiError(
      'forbidden',
      'Only who has installed an app rates it: give the installId under which its bundle was fetched. If that was just now, try again in a minute.',
    );
  }
  if (await installs.bind(found.idHash, person.id)) return found.version;
  throw new ApiError('forbidden', 'Another person has rated the app with this installation.');
}

/** Keeps what a person writes. What a moderator hid stays hidden, and waits for another look. */
async function keep(
  deps: WriteDeps,
  stores: WriteStores,
  before: Rating | null,
  written: Omit<Written, 'createdAt' | 'waitingSince'>,
  of: { personId: string; appId: string },
) {
  const { updatedAt: at } = written;
  if (!before) {
    const id = deps.newId();
    await stores.ratings.add({ id, ...of, ...written, createdAt: at, waitingSince: null });
    return { id, stars: written.stars };
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
 * Writes or changes what a person says of an app.
 * @param installId the installation they have it by; null for one that spoke for them before
 * @returns how many more reviews they may write
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
  // Outside of the transaction: it is one itself. Who has just installed the app need not wait until that is counted.
  if (idHash !== null) await deps.settleInstall(idHash);
  return deps.unitOfWork(async (stores) => {
    const quota = await consume({ ...deps, ...stores }, REVIEWS, `review ${caller.name}`);
    await requireMayRate(stores, caller, appId);
    const version = await requireInstalled(stores, caller, appId, idHash);
    const before = await stores.ratings.of(personId, appId);
    const updatedAt = deps.clock().toISOString();
    const kept = await keep(
      deps,
      stores,
      before,
      { stars, title, body, version, updatedAt },
      { personId, appId },
    );
    await adjustHistogram(stores, appId, starsOf(before), kept.stars);
    const detail = { rating: kept.id, stars };
    await stores.audit.add(caller, updatedAt, { action: 'rating.write', appId, detail });
    return quota;
  });
}

/**
 * Takes back what a person said of an app; nothing of its text is left. That it was hidden is remembered, so that to write
 * it again does not show it again.
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
