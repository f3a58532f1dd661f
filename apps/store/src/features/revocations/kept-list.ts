import type { RevocationList } from '@svc/contracts';
import { keyRing, type SigningKey, verifyRevocationList } from '@svc/signing';
import { systemActor } from '../../domain/audit/audit-log.ts';
import { listInCatalog } from '../../domain/listings/list-in-catalog.ts';
import type { Parts, Stores } from '../../domain/parts/parts.ts';
import { jobMover } from '../../domain/versions/changes.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { RevocationStore } from './revocation-store.ts';

/** Where a copy of the list is kept, which a rollback of the database does not affect. */
export type ListCopy = Pick<BlobStore, 'keptList' | 'keepList'>;

/** Parses a list and verifies its signature; null when it is not valid. */
function readList(text: string | null, signingKey: SigningKey): RevocationList | null {
  try {
    const list: unknown = JSON.parse(text ?? 'null');
    return verifyRevocationList(list, keyRing([signingKey])) ? list : null;
  } catch {
    return null;
  }
}

/**
 * Copies a signed list to the bundle storage, so that a rollback of the database is noticed. The copy is written after the database,
 * so a copy that is newer than the list in the database means that the database was rolled back.
 */
export async function copyList(blobs: ListCopy, signingKey: SigningKey, list: RevocationList): Promise<void> {
  const copy = readList(await blobs.keptList(), signingKey);
  if (copy && copy.signedAt >= list.signedAt) return;
  await blobs.keepList(JSON.stringify(list));
}

export type RestoreDeps = Pick<Parts, 'signingKey' | 'log'> & {
  blobs: ListCopy;
  unitOfWork: UnitOfWork<Stores & { revocations: RevocationStore }>;
};

/** Yanks the versions of a list that are published in the database, with the reason and the time of the list. */
async function yankListed(
  { versions, listings, audit }: Parameters<Parameters<RestoreDeps['unitOfWork']>[0]>[0],
  list: RevocationList,
): Promise<void> {
  const { name, ...from } = systemActor('store');
  for (const { appId, version, reason, at } of list.entries) {
    const ref = { appId, version };
    const step = { from: 'published', to: 'yanked' } as const;
    if (!(await versions.move(ref, step, { notes: reason }, jobMover('store', at)))) continue;
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
 * Restores the revocation list after a rollback of the database. Otherwise clients with the newer list would get an older state with
 * a later time. Versions that are not in the database, or are not published there, stay on the list.
 */
export async function restoreRevocations({ blobs, signingKey, unitOfWork, log }: RestoreDeps): Promise<void> {
  const copy = readList(await blobs.keptList(), signingKey);
  if (!copy) return;
  const before = await unitOfWork(async (stores) => {
    const stored = await stores.revocations.last();
    const last = stored && verifyRevocationList(stored, keyRing([signingKey])) ? stored : null;
    if (last && last.signedAt >= copy.signedAt) return null;
    await stores.revocations.keep(copy, stored);
    await yankListed(stores, copy);
    return { signedAt: last?.signedAt ?? null, entries: last?.entries.length ?? 0 };
  });
  if (!before) return;
  log.error(
    { database: before, list: { signedAt: copy.signedAt, entries: copy.entries.length } },
    'The database is older than the last signed revocation list: it was rolled back, and everything published or decided since is lost. The yanks of the newer list are in force again. See docs/backup.md.',
  );
}
