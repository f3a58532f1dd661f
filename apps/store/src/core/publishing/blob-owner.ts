import type { BlobStore } from '../../platform/blob-store.ts';
import type { Log } from '../../platform/system.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { BlobLedger } from './blob-ledger.ts';

/** How many blobs are enough to see whether they belong to this store. */
const SAMPLE = 100;

async function sampleOf(blobs: BlobStore): Promise<string[]> {
  const hashes: string[] = [];
  for await (const sha256 of blobs.list()) {
    hashes.push(sha256);
    if (hashes.length === SAMPLE) break;
  }
  return hashes;
}

export type OwnerDeps = Pick<Parts, 'blobs' | 'newId'> & { blobLedger: BlobLedger };

/**
 * Checks whether the storage is the wrong one: that of another store, or one without the blobs of the database. Bundles published
 * into a volume or bucket that is mounted by mistake would be lost when the right one is mounted again.
 * @returns the error message; null when the storage is right
 */
export async function wrongBlobs({ blobs, blobLedger, newId }: OwnerDeps): Promise<string | null> {
  const name = await blobLedger.ownerName(newId());
  const owner = await blobs.owner();
  if (owner === name) return null;
  const remedy = `Mount or name the right one, or restore it from a backup. To use this one, write ${name} to the file blobs/owner in it.`;
  if (owner !== null)
    return `The bundle storage belongs to the store ${owner}, and the database to the store ${name}. ${remedy}`;
  if ((await blobLedger.someUsed(1)).length === 0) return null;
  const sample = await sampleOf(blobs);
  if ((await blobLedger.unused(sample)).length < sample.length) return null;
  return `The bundle storage has none of the bundles in the database. ${remedy}`;
}

/**
 * Whether the storage belongs to this store; claims it when it has no owner. A bucket may be shared with another store by mistake, or
 * reused with a new database: blobs that look orphaned may be those of the other store, and must not be deleted.
 */
export async function ownsBlobs(deps: OwnerDeps & { log: Log }): Promise<boolean> {
  const { blobs, blobLedger, log } = deps;
  const name = await blobLedger.ownerName(deps.newId());
  const owner = await blobs.owner();
  if (owner === name) return true;
  const sample = owner === null ? await sampleOf(blobs) : [];
  const unknown = await blobLedger.unused(sample);
  if (owner !== null || (sample.length > 0 && unknown.length === sample.length)) {
    log.warn({}, 'The bundle storage contains bundles of another store: no orphaned files are deleted.');
    return false;
  }
  await blobs.claim(name);
  return (await blobs.owner()) === name;
}

/** How many of the blobs that versions refer to are looked for when the store starts. */
const LOOKED_FOR = 20;

/**
 * Logs an error when the storage lacks blobs of versions: it was restored in part, or processes that share a database have a folder each.
 */
export async function reportMissing({
  blobs,
  blobLedger,
  log,
}: Pick<OwnerDeps, 'blobs' | 'blobLedger'> & { log: Log }): Promise<void> {
  const used = await blobLedger.someUsed(LOOKED_FOR);
  const found = await Promise.all(used.map((sha256) => blobs.open(sha256)));
  const missing = used.filter((_sha256, index) => !found[index]);
  if (missing.length === 0) return;
  log.error(
    { missing, of: used.length },
    'The bundle storage lacks files of versions: restore them from a backup. Processes that share a database need one SVC_BLOBS, or one folder.',
  );
}
