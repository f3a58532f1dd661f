import semver from 'semver';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { type Caller, requireApp, requireMember, requireScope } from '../domain/identity/caller.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { type LeaseDeps, leaseFrom } from '../domain/versions/lease.ts';
import type { Upload, VersionRecord, VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { BlobLedger } from './blob-ledger.ts';
import { assertBlobsPresent } from './sweep-orphans.ts';

/** The stores that an upload touches, in one transaction. */
export type SubmitStores = {
  publishers: PublisherStore;
  apps: AppStore;
  versions: VersionStore;
  blobLedger: BlobLedger;
  audit: AuditLog;
};

/** Who says to publish what. An id or version that is malformed, and so cannot be known yet, is null. */
export type Claim = { publisher: string; id: string | null; version: string | null };

/** What submitting needs besides. */
export type SubmitDeps = LeaseDeps & { blobs: BlobStore };

async function requirePublisher(
  stores: Pick<SubmitStores, 'publishers'>,
  caller: Caller,
  slug: string,
): Promise<void> {
  const publisher = await stores.publishers.find(slug);
  if (!publisher) {
    throw new ApiError(
      'unknown_publisher',
      `There is no publisher ${slug}: make it first, or correct "publisher".`,
    );
  }
  requireMember(caller, slug);
  if (publisher.suspended) throw new ApiError('publisher_suspended', `The publisher ${slug} is suspended.`);
}

async function requireOwnApp(
  stores: Pick<SubmitStores, 'apps'>,
  caller: Caller,
  { id, publisher }: { id: string; publisher: string },
): Promise<boolean> {
  const app = await stores.apps.find(id);
  if (app && app.publisher !== publisher) {
    throw new ApiError('id_taken', `The app id ${id} belongs to another publisher: choose another id.`);
  }
  if (app?.suspended) throw new ApiError('app_suspended', `The app ${id} is suspended.`);
  requireScope(caller, app ? 'publish:update' : 'publish:new');
  requireApp(caller, id);
  return app !== null;
}

/**
 * Whether this caller may upload this version now. Asked before the bundle is inspected, and again inside the transaction.
 * What the claim does not say is not asked about.
 * @returns whether the app is known already
 * @throws ApiError unknown_publisher, not_a_member, publisher_suspended, id_taken, app_suspended, forbidden,
 *   version_not_greater
 */
export async function requireSubmittable(
  stores: Pick<SubmitStores, 'publishers' | 'apps' | 'versions'>,
  caller: Caller,
  { publisher, id, version }: Claim,
): Promise<boolean> {
  await requirePublisher(stores, caller, publisher);
  if (id === null) return false;
  const known = await requireOwnApp(stores, caller, { id, publisher });
  // Outside a transaction another publisher's app may arrive between the two reads: its versions are not this caller's.
  if (!known || version === null) return known;
  const latest = await stores.versions.newestUpload(id);
  if (latest !== null && semver.compare(version, latest) <= 0) {
    throw new ApiError(
      'version_not_greater',
      `Version ${version} is not greater than ${latest}, which was uploaded before: raise "version".`,
      { latest },
    );
  }
  return true;
}

/** An upload under check, of which nothing else is known. */
const underCheck = (upload: Upload): VersionRecord => ({
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
 * Puts an upload on record as `submitted`, and begins its check, as the process that submits it also checks it. Run it
 * inside a transaction: what it checks must still hold when it writes.
 * @throws ApiError as requireSubmittable; UnavailableError when the bytes it refers to were swept away
 */
export async function submitVersion(
  deps: SubmitDeps,
  stores: SubmitStores,
  caller: Caller,
  upload: Upload,
): Promise<VersionRecord> {
  const known = await requireSubmittable(stores, caller, upload.manifest);
  const { appId, version, publisher, sha256, size, submittedAt } = upload;
  if (!known) {
    await stores.apps.add({ appId, publisher, suspended: false, createdAt: submittedAt });
  }
  const hashes = [sha256, ...upload.files.map((file) => file.sha256)];
  await assertBlobsPresent({ ...deps, ...stores }, hashes);
  await stores.blobLedger.use(hashes);
  const mover = { by: 'checker', at: submittedAt };
  await stores.versions.add(upload);
  const change = { lease: leaseFrom(deps) };
  await stores.versions.move(upload, { from: 'submitted', to: 'checking' }, change, mover);
  const detail = { sha256, size };
  await stores.audit.add(caller, submittedAt, {
    action: 'version.submit',
    appId,
    version,
    publisher,
    detail,
  });
  return underCheck(upload);
}
