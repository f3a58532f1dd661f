import { compareVersions } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { type Caller, requireMember } from '../domain/identity/caller.ts';
import { requireUnsuspended } from '../domain/identity/suspension.ts';
import { notifyMembers, type PostDeps } from '../domain/mail/post-mail.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import type { AppOwner } from '../domain/versions/app-store.ts';
import { jobMover, type Mover, requireChange } from '../domain/versions/changes.ts';
import { requireRoom, type StoragePolicy } from '../domain/versions/publisher-storage.ts';
import {
  type LeaseDeps,
  leaseFrom,
  storedBytes,
  type Upload,
  type VersionRecord,
} from '../domain/versions/version-record.ts';
import type { BlobLedger } from './blob-ledger.ts';
import type { ReviewPolicy } from './route-review.ts';

/** The stores that an upload touches, in one transaction. */
export type SubmitStores = Stores & { blobLedger: BlobLedger };

/** The publisher, id and version that a manifest claims. A malformed id or version is null. */
export type Claim = { publisher: string; id: string | null; version: string | null };

async function requirePublisher(stores: Stores, caller: Caller, slug: string): Promise<void> {
  const publisher = await stores.publishers.find(slug);
  if (!publisher) {
    throw new ApiError(
      'unknown_publisher',
      `There is no publisher ${slug}: create it first, or correct "publisher".`,
    );
  }
  if (publisher.origin !== undefined)
    throw new ApiError('forbidden', `${slug} stands for a publisher of ${publisher.origin}: upload there.`);
  requireMember(caller, slug);
  await requireUnsuspended(stores, 'publish', { publisher: slug });
}

/** Whether an id in reverse-DNS notation begins with the website that a publisher verified. */
const isOfHost = (id: string, host: string | undefined): boolean =>
  host !== undefined && `${id}.`.startsWith(`${host.split('.').reverse().join('.')}.`);

/**
 * Whether a publisher may take an id that another one only uploaded: an id belongs to its publisher once published. A rejected or retracted
 * upload frees it, unless an appeal is open; a version in review gives way to the publisher that verified the website of the id.
 */
async function mayTake(
  { hooks }: Pick<Parts, 'hooks'>,
  stores: Stores,
  { appId, publisher: from }: AppOwner,
  to: string,
): Promise<boolean> {
  const { released, moving, inReview } = await stores.lives.ties(appId);
  if (released || moving || (await hooks.holdsApp(stores, appId))) return false;
  if (!inReview) return true;
  const [owner, taker] = await Promise.all([stores.publishers.find(from), stores.publishers.find(to)]);
  return isOfHost(appId, taker?.verifiedHost) && !isOfHost(appId, owner?.verifiedHost);
}

/** Who may submit, and whether the app exists already, as one of the publisher. */
type Submittable = { mover: Mover; known: boolean };

async function requireOwnApp(
  deps: Pick<Parts, 'hooks'>,
  stores: Stores,
  caller: Caller,
  { id, publisher }: { id: string; publisher: string },
  at: string,
): Promise<Submittable> {
  const app = await stores.apps.find(id);
  const isOwn = app?.publisher === publisher;
  const isTaken = app
    ? !isOwn && !(await mayTake(deps, stores, app, publisher))
    : await stores.lives.isRetired('app', id);
  if (isTaken)
    throw new ApiError('id_taken', `The app id ${id} belongs to another publisher: choose another id.`);
  const about = { publisher, appId: id };
  const scope = isOwn ? 'publish:update' : 'publish:new';
  return { mover: await requireChange(stores, 'publish', caller, about, at, [scope]), known: isOwn };
}

/**
 * Checks that the caller may upload this version. Called before the inspection, and again in the transaction. Parts of the claim that
 * are null are not checked.
 * @param at when it is submitted; not for the check before the inspection, which changes nothing
 * @returns null where the claim has no id
 * @throws ApiError unknown_publisher, not_a_member, publisher_suspended, id_taken, app_suspended, forbidden,
 *   version_not_greater
 */
export async function requireSubmittable(
  deps: Pick<Parts, 'hooks'>,
  stores: Stores,
  caller: Caller,
  { publisher, id, version }: Claim,
  at = '',
): Promise<Submittable | null> {
  await requirePublisher(stores, caller, publisher);
  if (id === null) return null;
  const submittable = await requireOwnApp(deps, stores, caller, { id, publisher }, at);
  // Outside a transaction another publisher may create the app between the two reads: its versions must not be revealed.
  if (!submittable.known || version === null) return submittable;
  const latest = await stores.versions.newestUpload(id);
  if (latest !== null && compareVersions(version, latest) <= 0) {
    throw new ApiError(
      'version_not_greater',
      `Version ${version} is not higher than ${latest}, which is already uploaded: increase "version".`,
      { latest },
    );
  }
  return submittable;
}

/** The record of a new upload in state `checking`. */
export const checkingRecord = (upload: Upload): VersionRecord => ({
  ...upload,
  state: 'checking',
  reasons: [],
  permissionDiff: null,
  notes: '',
  retracted: false,
  publishedAt: null,
  signature: null,
  keyId: null,
});

/**
 * Checks, in the transaction that submits a version, that no sweep has deleted its blobs.
 * @throws UnavailableError when one has: the upload can be retried immediately
 */
export async function assertBlobsPresent(
  { blobLedger, blobs }: { blobLedger: BlobLedger; blobs: BlobStore },
  hashes: readonly string[],
): Promise<void> {
  for (const sha256 of await blobLedger.doomed(hashes)) {
    if (await blobs.open(sha256)) continue;
    throw new UnavailableError('The files of an upload were deleted as orphans during the upload.', {
      retryAfter: 1,
    });
  }
}

/**
 * Adds a version whose submission was allowed, and moves it to `checking`, as the same process also checks it. All bytes of publishers
 * get in here.
 * @throws ApiError storage_full UnavailableError when its blobs have been deleted as orphans
 */
export async function beginChecking(
  deps: LeaseDeps & Pick<Parts, 'hooks'> & { blobs: BlobStore; policy: StoragePolicy },
  stores: SubmitStores,
  upload: Upload,
  mover: Mover,
): Promise<void> {
  const hashes = [upload.sha256, ...upload.files.map((file) => file.sha256)];
  await assertBlobsPresent({ ...deps, ...stores }, hashes);
  await requireRoom(deps.policy, stores, upload.publisher, storedBytes(upload));
  await stores.blobLedger.use(hashes);
  await stores.versions.add(upload, mover);
  const actor = jobMover('checker', upload.submittedAt);
  const change = { lease: leaseFrom(deps) };
  await stores.versions.move(upload, { from: 'submitted', to: 'checking' }, change, actor);
  await deps.hooks.versionSubmitted(stores, upload);
}

/**
 * Records an upload as `submitted` and moves it to `checking`, as the same process also checks it. Call it in a transaction.
 * @throws ApiError as requireSubmittable, unauthorized, storage_full; UnavailableError when its blobs have been deleted as orphans
 */
export async function submitVersion(
  deps: LeaseDeps &
    PostDeps &
    Pick<Parts, 'hooks'> & { blobs: BlobStore; policy: Pick<ReviewPolicy, 'confirmUploads'> & StoragePolicy },
  stores: SubmitStores,
  caller: Caller,
  given: Upload,
): Promise<VersionRecord> {
  const submittable = await requireSubmittable(deps, stores, caller, given.manifest, given.submittedAt);
  if (!submittable) throw new Error('A version without an app id was submitted.');
  const { known, mover } = submittable;
  const app = await stores.apps.find(given.appId);
  const mustWait = (known && app?.confirmUploads) || deps.policy.confirmUploads === 'always';
  const upload: Upload = mustWait ? { ...given, awaitsConfirmation: true } : given;
  const { appId, version, publisher, sha256, size, submittedAt } = upload;
  if (app && !known) {
    // It was never published: what is left of it goes, and the audit log says from whom the id was taken.
    await stores.lives.removeApp(appId);
    const freed = { action: 'app.free', appId, publisher: app.publisher, detail: { to: publisher } } as const;
    await stores.audit.add(caller, submittedAt, freed);
  }
  if (!known) {
    await stores.apps.add({ appId, publisher, suspended: false, createdAt: submittedAt });
  }
  await beginChecking(deps, stores, upload, mover);
  const detail = { sha256, size };
  await stores.audit.add(caller, submittedAt, {
    action: 'version.submit',
    appId,
    version,
    publisher,
    detail,
  });
  await notifyMembers(deps, stores, publisher, {
    kind: upload.awaitsConfirmation ? 'version-waiting' : 'version-uploaded',
    detail: { publisher, appId, version },
  });
  return checkingRecord(upload);
}
