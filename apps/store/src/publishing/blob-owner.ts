import type { Log } from '../platform/ambient.ts';
import type { BlobLedger } from './blob-ledger.ts';
import type { BlobStore } from './blob-store.ts';

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

/**
 * Says whether what is kept belongs to this store, claiming what nobody has. A bucket may be shared by mistake with a
 * store that this database knows nothing of, or be taken over with a new database: what looks left over there may be
 * what another has published, and must never be swept.
 */
export async function ownsBlobs(deps: {
  blobs: BlobStore;
  blobLedger: BlobLedger;
  newId(): string;
  log: Log;
}): Promise<boolean> {
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
