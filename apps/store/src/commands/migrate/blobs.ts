import { createHash } from 'node:crypto';
import { LIMITS } from '@svc/contracts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { forEach } from '../../platform/for-each.ts';

/** Blobs under way at a time. */
const LANES = 4;

async function copyOne(from: BlobStore, to: BlobStore, sha256: string): Promise<boolean> {
  const blob = await from.open(sha256);
  if (!blob) throw new Error(`the blob ${sha256} is gone from the data folder`);
  if ((await to.open(sha256))?.size === blob.size) return false;
  const staged = await to.stage(blob.stream(), Math.max(blob.size, LIMITS.bundle.bytes));
  if (staged?.sha256 !== sha256) {
    await staged?.discard();
    throw new Error(
      `the blob ${sha256} is damaged in the data folder: take a backup first, which names what is`,
    );
  }
  await staged.keep();
  return true;
}

/** Copies every blob that is not there yet, so that a copy that was cut off goes on. */
export async function copyBlobs(from: BlobStore, to: BlobStore): Promise<{ copied: number; all: number }> {
  let [copied, all] = [0, 0];
  const copy = async (sha256: string) => {
    all += 1;
    if (await copyOne(from, to, sha256)) copied += 1;
  };
  await forEach(from.list(), copy, LANES);
  const list = await from.keptList();
  if (list !== null) await to.keepList(list);
  return { copied, all };
}

/**
 * Reads every byte of every blob of one storage in another, and compares it with the hash that is its name.
 * @returns the hashes of those that are right
 * @throws Error for one that is missing or damaged
 */
export async function readAll(from: BlobStore, to: BlobStore): Promise<ReadonlySet<string>> {
  const right = new Set<string>();
  const read = async (sha256: string) => {
    const blob = await to.open(sha256);
    if (!blob) throw new Error(`the blob ${sha256} is missing where it was moved to`);
    const hash = createHash('sha256');
    for await (const piece of blob.stream()) hash.update(piece);
    if (hash.digest('hex') !== sha256) throw new Error(`the blob ${sha256} is damaged where it was moved to`);
    right.add(sha256);
  };
  await forEach(from.list(), read, LANES);
  return right;
}
