import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shardPath } from '../../adapters/blob-name.ts';
import { blobsIn } from '../../adapters/disk/data-folder.ts';
import { renameDurably, syncFolder } from '../../adapters/disk/durable-file.ts';
import { type Content, CorruptBackupError, contentOf, copyVerified } from './plain-file.ts';

/** Where a blob lies, in a backup as in a store. */
export const blobIn = (folder: string, sha256: string): string =>
  join(blobsIn(folder), shardPath(sha256), sha256);

/** What became of a blob: whether it was copied, and whether a damaged file was replaced, of the backup or of the store. */
export type CopiedBlob = Content & {
  was: 'held' | 'copied' | 'healed in the backup' | 'healed in the store';
};

/** What is found under the name of a blob: the bytes it must have, others, or no file. */
type Found = { state: 'sound'; size: number } | { state: 'damaged' } | { state: 'missing' };

async function find(file: string, sha256: string): Promise<Found> {
  try {
    const content = await contentOf(file);
    return content.sha256 === sha256 ? { state: 'sound', size: content.size } : { state: 'damaged' };
  } catch (error) {
    // A disk that cannot read a block says EIO: of this file alone, as long as others can be read.
    if ((error as NodeJS.ErrnoException).code === 'EIO') return { state: 'damaged' };
    if (!(error instanceof CorruptBackupError)) throw error;
    return { state: error.message.endsWith('is missing.') ? 'missing' : 'damaged' };
  }
}

/** Copies a sound blob over to another folder, by way of a draft there. */
async function copyOver(from: string, folder: string, drafts: string, blob: Content): Promise<void> {
  const to = blobIn(folder, blob.sha256);
  const draft = join(drafts, randomUUID());
  await copyVerified(from, draft, blob);
  await mkdir(blobsIn(folder), { recursive: true, mode: 0o700 });
  const shard = join(blobsIn(folder), shardPath(blob.sha256));
  if (await mkdir(shard, { recursive: true, mode: 0o700 })) await syncFolder(blobsIn(folder));
  await renameDurably(draft, to);
}

/**
 * Brings a blob into a backup. Both files are read and compared with the hash that is their name: the damaged one is replaced
 * by the sound one, also in the store.
 * @param drafts folders for drafts, on the disk of the backup and on that of the store
 * @returns null when neither is sound
 */
export async function copyBlob(
  dataDir: string,
  folder: string,
  drafts: { backup: string; store: string },
  sha256: string,
): Promise<CopiedBlob | null> {
  const [from, to] = [blobIn(dataDir, sha256), blobIn(folder, sha256)];
  const [source, copy] = await Promise.all([find(from, sha256), find(to, sha256)]);
  if (source.state === 'sound') {
    const blob = { sha256, size: source.size };
    if (copy.state === 'sound') return { ...blob, was: 'held' };
    await copyOver(from, folder, drafts.backup, blob);
    return { ...blob, was: copy.state === 'missing' ? 'copied' : 'healed in the backup' };
  }
  if (copy.state !== 'sound') return null;
  const blob = { sha256, size: copy.size };
  await copyOver(to, dataDir, drafts.store, blob);
  return { ...blob, was: 'healed in the store' };
}
