import type { BlobStore } from '../platform/blob-store.ts';
import type { Log } from '../platform/system.ts';
import type { BlobLedger } from './blob-ledger.ts';

/** As many blobs as tell whether this store has published any of what is there. */
const SAMPLE = 100;

async function firstOf(blobs: BlobStore): Promise<string[]> {
  const found: string[] = [];
  for await (const sha256 of blobs.list()) {
    found.push(sha256);
    if (found.length === SAMPLE) break;
  }
  return found;
}

export type OwnerDeps = { blobs: BlobStore; blobLedger: BlobLedger; newId(): string };

/**
 * Why the store must not publish into this storage: it is another store's, or it is empty or strange although versions name
 * bytes. What is published into a volume or a bucket that is there by mistake is lost when the right one comes back.
 * @returns null when nothing speaks against it
 */
export async function wrongBlobs({ blobs, blobLedger, newId }: OwnerDeps): Promise<string | null> {
  const name = await blobLedger.ownerName(newId());
  const owner = await blobs.owner();
  if (owner === name) return null;
  const wayOut = `Mount or name the right one, or restore it from a backup. To go on with this one, write ${name} into blobs/owner in it.`;
  if (owner !== null)
    return `The bundle storage belongs to the store ${owner}, and the database to the store ${name}. ${wayOut}`;
  if (!(await blobLedger.anyUsed())) return null;
  const found = await firstOf(blobs);
  if ((await blobLedger.unused(found)).length < found.length) return null;
  return `The bundle storage holds none of the bundles that the database names. ${wayOut}`;
}

/**
 * Says whether what is kept belongs to this store, claiming what nobody has. A bucket may be shared by mistake with a
 * store that this database knows nothing of, or be taken over with a new database: what looks left over there may be
 * what another has published, and must never be swept.
 */
export async function ownsBlobs(deps: OwnerDeps & { log: Log }): Promise<boolean> {
  const { blobs, blobLedger, log } = deps;
  const name = await blobLedger.ownerName(deps.newId());
  const owner = await blobs.owner();
  if (owner === name) return true;
  const found = owner === null ? await firstOf(blobs) : [];
  const unknown = await blobLedger.unused(found);
  if (owner !== null || (found.length > 0 && unknown.length === found.length)) {
    log.warn({}, 'The bundle storage holds what another store has published: nothing in it is swept.');
    return false;
  }
  await blobs.claim(name);
  return (await blobs.owner()) === name;
}
