import type { RevocationList } from '@svc/contracts';
import { keyRing, revocationsHold, type SigningKey } from '@svc/signing';
import { type AuditLog, systemActor } from '../domain/audit/audit-log.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import type { VersionStore } from '../domain/versions/version-store.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Log, UnitOfWork } from '../platform/system.ts';
import type { RevocationStore } from './revocation-store.ts';

type Kept = Pick<BlobStore, 'keptList' | 'keepList'>;

/** A list that holds under the key; null when the text is no such list. */
function readList(text: string | null, signingKey: SigningKey): RevocationList | null {
  if (text === null) return null;
  try {
    const list: unknown = JSON.parse(text);
    return revocationsHold(list, keyRing([signingKey])) ? list : null;
  } catch {
    return null;
  }
}

/**
 * Keeps a signed list beside the bundles, so that a database from before it is noticed. It is kept once the database has it:
 * a kept list that is newer than that of the database therefore means that the database went back.
 */
export async function keepBeside(blobs: Kept, signingKey: SigningKey, list: RevocationList): Promise<void> {
  const kept = readList(await blobs.keptList(), signingKey);
  if (kept && kept.signedAt >= list.signedAt) return;
  await blobs.keepList(JSON.stringify(list));
}

export type BringBackDeps = {
  blobs: Kept;
  signingKey: SigningKey;
  unitOfWork: UnitOfWork<{
    revocations: RevocationStore;
    versions: VersionStore;
    listings: ListingStore;
    audit: AuditLog;
  }>;
  log: Log;
};

type Stores = Parameters<Parameters<BringBackDeps['unitOfWork']>[0]>[0];

/** Yanks the versions of a list that the database has as published, with the reason and the time that the list has. */
async function yankListed({ versions, listings, audit }: Stores, list: RevocationList): Promise<void> {
  const { name, ...from } = systemActor('store');
  for (const { appId, version, reason, at } of list.entries) {
    const ref = { appId, version };
    const step = { from: 'published', to: 'yanked' } as const;
    if (!(await versions.move(ref, step, { notes: reason }, { by: name, at }))) continue;
    await listInCatalog({ versions, listings }, appId);
    const publisher = (await versions.find(ref))?.publisher;
    const detail = { reason };
    await audit.add({ name, ...from }, at, {
      action: 'version.yank',
      ...ref,
      ...(publisher && { publisher }),
      detail,
    });
  }
}

/**
 * Brings back what a database that went back has lost of the revocation list: clients that took the newer list would otherwise
 * be given an older truth under a later time. Versions that the database does not know, or does not have as published, stay on
 * the list by their entries.
 */
export async function bringBackRevocations({
  blobs,
  signingKey,
  unitOfWork,
  log,
}: BringBackDeps): Promise<void> {
  const kept = readList(await blobs.keptList(), signingKey);
  if (!kept) return;
  const before = await unitOfWork(async (stores) => {
    const stored = await stores.revocations.last();
    const last = stored && revocationsHold(stored, keyRing([signingKey])) ? stored : null;
    if (last && last.signedAt >= kept.signedAt) return null;
    await stores.revocations.keep(kept, stored);
    await yankListed(stores, kept);
    return { signedAt: last?.signedAt ?? null, entries: last?.entries.length ?? 0 };
  });
  if (!before) return;
  log.error(
    { database: before, list: { signedAt: kept.signedAt, entries: kept.entries.length } },
    'The database is older than the revocation list that this store signed: it went back, and what was published and decided since is lost. The withdrawals of the newer list are in force again. docs/operating.md, Backups, says what to do.',
  );
}
