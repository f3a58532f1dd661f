import { createHash } from 'node:crypto';
import { compareVersions, type Manifest, type PublishResult } from '@svc/contracts';
import { type KeyRing, type Release, type ReleaseSignature, verifyHashedBundle } from '@svc/signing';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import { jobMover } from '../../core/domain/versions/changes.ts';
import type { KeptOrigin, Upload, VersionRecord } from '../../core/domain/versions/version-record.ts';
import { lookOf } from '../../core/publishers/look-of.ts';
import type { Intake } from '../../core/publishing/intake.ts';
import { admitBundle, discard, type PublishDeps, recordVersion } from '../../core/publishing/publish.ts';
import { beginChecking, checkingRecord, type SubmitStores } from '../../core/publishing/submit-version.ts';
import { ApiError } from '../../platform/api-error.ts';

/** Characters of the slug that a publisher has at its own store, in the slug that it has here; of a longer one, those before its hash. */
const [SLUG_CHARACTERS, CUT_CHARACTERS] = [30, 21];

/** A part of the hash of a text, in hex. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** The id of an upstream: a part of the hash of its address. */
export const upstreamId = hashOf;

/**
 * The slug here of a publisher of another store. It has the id of that store, so that no publisher of this store, and none of a third, is
 * taken for it.
 */
function carriedSlug(address: string, slug: string): string {
  const plain = slug.replace(/[^a-z0-9-]/g, '').replace(/^-+/, '');
  const isWhole = plain === slug && plain.length <= SLUG_CHARACTERS;
  // No two publishers of a store are one here.
  const own = isWhole ? plain : `${plain.slice(0, CUT_CHARACTERS) || 'publisher'}-${hashOf(slug)}`;
  return `${own}--${upstreamId(address)}`;
}

/** A version of another store, as that store sent it: nothing of it is verified yet. */
export type Foreign = {
  address: string;
  bytes: Uint8Array;
  release: Release & ReleaseSignature;
  /** The trusted keys of that store. */
  keys: KeyRing;
  said: KeptOrigin['said'];
  /** Whether a version with this manifest waits for a moderator. */
  mustReview(manifest: Manifest): boolean;
};

const refuse = (message: string): ApiError => new ApiError('invalid_bundle', message);

/**
 * Verifies that another store signed a bundle.
 * @returns the key that made the signature, in PEM
 * @throws ApiError invalid_bundle
 */
function requireSigned(
  sha256: string,
  manifest: Manifest,
  { release, keys }: Pick<Foreign, 'release' | 'keys'>,
): string {
  const verdict = verifyHashedBundle(sha256, manifest, release, keys);
  if (!verdict.ok) throw refuse(verdict.message);
  // A store may have named its keys alike.
  return keys.get(verdict.signer)?.export({ type: 'spki', format: 'pem' }) as string;
}

/** Creates the publisher here that stands for one of another store, unless it exists. */
async function requirePublisher(
  { newId }: Pick<PublishDeps, 'newId'>,
  { publishers, audit }: SubmitStores,
  { publisher: slug, submittedAt: createdAt }: Upload,
  origin: KeptOrigin,
): Promise<void> {
  const known = await publishers.find(slug);
  if (known?.suspended) throw new ApiError('publisher_suspended', `The publisher ${slug} is suspended.`);
  if (known?.origin === origin.store) return;
  const name = `${origin.said.publisherName} (${new URL(origin.store).host})`;
  const publisher = { slug, name, verified: false, suspended: false, createdAt, origin: origin.store };
  if (known || !(await publishers.create(publisher, { look: lookOf(slug), proof: newId() })))
    throw new ApiError('id_taken', `The short name ${slug} belongs to a publisher of this store.`);
  const detail = { name, origin: origin.store };
  await audit.add(systemActor('upstream'), createdAt, {
    action: 'publisher.create',
    publisher: slug,
    detail,
  });
}

/**
 * Submits a version of another store, in a transaction.
 * @throws ApiError id_taken for an app of this store or of a third; app_suspended, publisher_suspended, version_not_greater
 */
async function submitCarried(
  deps: PublishDeps,
  stores: SubmitStores,
  upload: Upload,
  origin: KeptOrigin,
): Promise<VersionRecord> {
  const { appId, version, publisher, submittedAt } = upload;
  await requirePublisher(deps, stores, upload, origin);
  const app = await stores.apps.find(appId);
  if (app ? app.publisher !== publisher : await stores.lives.isRetired('app', appId))
    throw new ApiError('id_taken', `The app id ${appId} belongs to another publisher here.`);
  if (app?.suspended) throw new ApiError('app_suspended', `The app ${appId} is suspended here.`);
  const latest = await stores.versions.newestUpload(appId);
  if (latest !== null && compareVersions(version, latest) <= 0)
    throw new ApiError('version_not_greater', `Version ${version} is not higher than ${latest}.`, { latest });
  if (!app) await stores.apps.add({ appId, publisher, suspended: false, createdAt: submittedAt });
  await beginChecking(deps, stores, upload, jobMover('upstream', submittedAt));
  const detail = { sha256: upload.sha256, origin: origin.store, keyId: origin.keyId };
  const event = { action: 'version.carry', appId, version, publisher, detail } as const;
  await stores.audit.add(systemActor('upstream'), submittedAt, event);
  return checkingRecord(upload);
}

/**
 * Carries a version of another store: checks its bundle as an upload, verifies that the other store signed it, and publishes it here, or sends
 * it to review.
 * @throws ApiError invalid_bundle, also for one that the other store did not sign; validation_failed, and those of `submitCarried`;
 *   OverrunError
 */
export async function carryVersion(
  deps: PublishDeps & { intake: Intake },
  { address, bytes, release, keys, said, mustReview }: Foreign,
): Promise<PublishResult> {
  // Publishers of this store come first.
  const requester = {
    account: `upstream:${upstreamId(address)}`,
    network: address,
    trusted: true,
    turn: 'last',
  } as const;
  const body = (async function* () {
    yield bytes;
  })();
  return deps.intake.receive(deps.blobs, body, requester, 0, async ({ staged }) => {
    try {
      const candidate = await admitBundle(deps.intake.queues, { ...staged, requester }, async ({ id }) => {
        if (id !== release.appId) throw refuse('The bundle is one of another app.');
        staged.prepare();
      });
      const { manifest } = candidate;
      const publicKeyPem = requireSigned(staged.sha256, manifest, { release, keys });
      const iconLook = await deps.rasters.requireDrawable(candidate, requester);
      const { publishedAt, signature, keyId } = release;
      const signed = { publishedAt, signature, keyId, publicKeyPem };
      const review = mustReview(manifest);
      const origin: KeptOrigin = { store: address, publisher: manifest.publisher, ...signed, said, review };
      const publisher = carriedSlug(address, manifest.publisher);
      const submission = { publisher, submittedBy: 'upstream', origin };
      return await recordVersion(deps, { staged, candidate, iconLook }, submission, (stores, upload) =>
        submitCarried(deps, stores, upload, origin),
      );
    } finally {
      await discard(deps, staged);
    }
  });
}
