import { createHash } from 'node:crypto';
import { LIMITS } from '@svc/contracts';
import type { BlobStore } from '../../../platform/blob-store.ts';
import { forEach } from '../../../platform/for-each.ts';

/** Blobs that are copied or read at the same time. */
const CONCURRENCY = 4;

async function copyOne(from: BlobStore, to: BlobStore, sha256: string): Promise<boolean> {
  const blob = await from.open(sha256);
  if (!blob) throw new Error(`the blob ${sha256} is missing from the data folder`);
  if ((await to.open(sha256))?.size === blob.size) return false;
  const staged = await to.stage(blob.stream(), Math.max(blob.size, LIMITS.bundle.bytes));
  if (staged?.sha256 !== sha256) {
    await staged?.discard();
    throw new Error(
      `the blob ${sha256} is damaged in the data folder: run svc-store backup first, which lists all damaged blobs`,
    );
  }
  await staged.keep();
  return true;
}

/** Copies every blob that the target does not have yet, so that an interrupted copy continues. */
export async function copyBlobs(from: BlobStore, to: BlobStore): Promise<{ copied: number; all: number }> {
  let [copied, all] = [0, 0];
  const copy = async (sha256: string) => {
    all += 1;
    if (await copyOne(from, to, sha256)) copied += 1;
  };
  await forEach(from.list(), copy, CONCURRENCY);
  const list = await from.keptList();
  if (list !== null) await to.keepList(list);
  return { copied, all };
}

/**
 * Reads every blob of one storage in another storage, and compares it with the hash that is its name.
 * @returns the hashes of all blobs
 * @throws Error for a blob that is missing or damaged
 */
export async function readAll(from: BlobStore, to: BlobStore): Promise<ReadonlySet<string>> {
  const intact = new Set<string>();
  const read = async (sha256: string) => {
    const blob = await to.open(sha256);
    if (!blob) throw new Error(`the blob ${sha256} is missing in the bundle storage it was moved to`);
    const hash = createHash('sha256');
    for await (const piece of blob.stream()) hash.update(piece);
    if (hash.digest('hex') !== sha256)
      throw new Error(`the blob ${sha256} is damaged in the bundle storage it was moved to`);
    intact.add(sha256);
  };
  await forEach(from.list(), read, CONCURRENCY);
  return intact;
}
