import { signedFootprintOf } from '@svc/permissions';
import { factsOf, signFacts } from '@svc/signing';
import { systemActor } from '../../domain/audit/audit-log.ts';
import { listPublished } from '../../domain/listings/list-in-catalog.ts';
import type { Parts, Stores } from '../../domain/parts/parts.ts';
import type { VersionRecord, VersionRef } from '../../domain/versions/version-record.ts';
import { requireIntact } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

export type SignDeps = Pick<Parts, 'blobs' | 'signingKey' | 'clock' | 'log' | 'unitOfWork'>;

/** Only signing failed: the version can be approved now and signed later. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

async function signAndList(
  { clock, signingKey }: Pick<SignDeps, 'clock' | 'signingKey'>,
  stores: Stores,
  record: VersionRecord,
): Promise<VersionRecord> {
  const { appId, version, publisher, sha256 } = record;
  const publishedAt = clock().toISOString();
  const release = { appId, version, sha256, publishedAt };
  const signed = signFacts(factsOf(release, signedFootprintOf(record.manifest)), signingKey);
  const signer = systemActor('signer');
  const actor = { by: signer.name, at: publishedAt };
  const change = { ...signed, publishedAt };
  const moved = await stores.versions.move(record, { from: 'approved', to: 'published' }, change, actor);
  // Another process has already moved it.
  if (!moved) return (await stores.versions.find(record)) ?? record;
  const published = { ...record, ...change, state: 'published' } as const;
  await listPublished(stores, published);
  const action = 'version.publish';
  const detail = { sha256, keyId: signed.keyId };
  await stores.audit.add(signer, publishedAt, { action, appId, version, publisher, detail });
  return published;
}

/**
 * Signs an approved version in the transaction that approved it, which publishes and lists it. Other versions are returned
 * unchanged.
 * @throws SigningError when signing fails, which rolls the transaction back; UnavailableError
 */
export async function signWithin(
  deps: Pick<SignDeps, 'clock' | 'signingKey'>,
  stores: Stores,
  record: VersionRecord,
): Promise<VersionRecord> {
  if (record.state !== 'approved') return record;
  try {
    return await signAndList(deps, stores, record);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new SigningError('Signing failed.', { cause: error });
  }
}

export function reportUnsigned(
  { log }: Pick<SignDeps, 'log'>,
  { appId, version }: VersionRef,
  error: unknown,
) {
  log.error(
    { err: error, appId, version },
    'Signing failed; the version stays approved and will be retried.',
  );
}

/**
 * Signs an approved version, which publishes and lists it in the same transaction. When that fails, the version stays `approved` and
 * is signed later. Other versions are returned unchanged.
 * @returns the version in its new state
 */
export async function signVersion(deps: SignDeps, record: VersionRecord): Promise<VersionRecord> {
  if (record.state !== 'approved') return record;
  try {
    // Time has passed since the upload: the signature must not cover bytes that were replaced in the storage.
    await requireIntact(deps.blobs, record.sha256);
    return await deps.unitOfWork((stores) => signAndList(deps, stores, record));
  } catch (error) {
    reportUnsigned(deps, record, error);
    return record;
  }
}
