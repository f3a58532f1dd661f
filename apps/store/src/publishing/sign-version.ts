import { signedFootprintOf } from '@svc/permissions';
import { factsOf, type SigningKey, signFacts } from '@svc/signing';
import { type AuditLog, systemActor } from '../domain/audit/audit-log.ts';
import { listPublished } from '../domain/listings/list-in-catalog.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import type { VersionRecord, VersionStore } from '../domain/versions/version-store.ts';
import type { Clock, Log, UnitOfWork } from '../platform/system.ts';

export type SignDeps = {
  unitOfWork: UnitOfWork<{ versions: VersionStore; listings: ListingStore; audit: AuditLog }>;
  signingKey: SigningKey;
  clock: Clock;
  log: Log;
};

function signAndList(deps: SignDeps, record: VersionRecord): Promise<VersionRecord> {
  return deps.unitOfWork(async (stores) => {
    const { appId, version, publisher, sha256 } = record;
    const publishedAt = deps.clock().toISOString();
    const release = { appId, version, sha256, publishedAt };
    const seal = signFacts(factsOf(release, signedFootprintOf(record.manifest)), deps.signingKey);
    const signer = systemActor('signer');
    const mover = { by: signer.name, at: publishedAt };
    const change = { ...seal, publishedAt };
    const moved = await stores.versions.move(record, { from: 'approved', to: 'published' }, change, mover);
    // Another process was faster.
    if (!moved) return (await stores.versions.find(record)) ?? record;
    const published = { ...record, ...change, state: 'published' } as const;
    await listPublished(stores, published);
    const detail = { sha256, keyId: seal.keyId };
    await stores.audit.add(signer, publishedAt, {
      action: 'version.publish',
      appId,
      version,
      publisher,
      detail,
    });
    return published;
  });
}

/**
 * Signs an approved version, which publishes and lists it in the same transaction. When that fails the version stays
 * `approved`, to be signed later; nothing is lost and nothing is half published. Any other version stays as it is.
 * @returns the version as it stands then
 */
export async function signVersion(deps: SignDeps, record: VersionRecord): Promise<VersionRecord> {
  if (record.state !== 'approved') return record;
  try {
    return await signAndList(deps, record);
  } catch (error) {
    const { appId, version } = record;
    deps.log.error(
      { err: error, appId, version },
      'Signing failed; the version stays approved and is tried again.',
    );
    return record;
  }
}
