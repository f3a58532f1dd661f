import { signedFootprintOf } from '@svc/permissions';
import { factsOf, type SigningKey, signFacts } from '@svc/signing';
import { type AuditLog, systemActor } from '../domain/audit/audit-log.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import type { Clock, Log, UnitOfWork } from '../platform/system.ts';

export type SignDeps = {
  unitOfWork: UnitOfWork<{ versions: VersionStore; listings: ListingStore; audit: AuditLog }>;
  signingKey: SigningKey;
  clock: Clock;
  log: Log;
};

async function signAndList(deps: SignDeps, ref: VersionRef): Promise<void> {
  await deps.unitOfWork(async (stores) => {
    const record = await stores.versions.find(ref);
    if (record?.state !== 'approved') return;
    const publishedAt = deps.clock().toISOString();
    const release = { appId: record.appId, version: record.version, sha256: record.sha256, publishedAt };
    const seal = signFacts(factsOf(release, signedFootprintOf(record.manifest)), deps.signingKey);
    const signer = systemActor('signer');
    const mover = { by: signer.name, at: publishedAt };
    await stores.versions.move(ref, { from: 'approved', to: 'published' }, { ...seal, publishedAt }, mover);
    await listInCatalog(stores, ref.appId);
    const { appId, version, publisher, sha256 } = record;
    const detail = { sha256, keyId: seal.keyId };
    await stores.audit.add(signer, publishedAt, {
      action: 'version.publish',
      appId,
      version,
      publisher,
      detail,
    });
  });
}

/**
 * Signs an approved version, which publishes and lists it in the same transaction. When that fails the version stays
 * `approved`, to be signed later; nothing is lost and nothing is half published.
 */
export async function signVersion(deps: SignDeps, ref: VersionRef): Promise<void> {
  try {
    await signAndList(deps, ref);
  } catch (error) {
    deps.log.error({ err: error, ...ref }, 'Signing failed; the version stays approved and is tried again.');
  }
}
