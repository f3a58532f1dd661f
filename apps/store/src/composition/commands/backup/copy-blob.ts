import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { shardPath } from '../../../adapters/blob-name.ts';
import { blobsIn } from '../../../adapters/disk/data-folder.ts';
import { renameDurably, syncFolder } from '../../../adapters/disk/durable-file.ts';
import { type Content, CorruptBackupError, contentOf, copyVerified } from './plain-file.ts';

/** The path of a blob, in a backup and in a store. */
export const blobIn = (folder: string, sha256: string): string =>
  join(blobsIn(folder), shardPath(sha256), sha256);

/** The outcome for a blob: whether it was copied, and whether a damaged file of the backup or of the store was replaced. */
export type CopiedBlob = Content & {
  outcome: 'unchanged' | 'copied' | 'repaired in the backup' | 'repaired in the store';
};

/** The state of the file of a blob: it has the right bytes, other bytes, or does not exist. */
type BlobFile = { state: 'intact'; size: number } | { state: 'damaged' } | { state: 'missing' };

async function inspectFile(file: string, sha256: string): Promise<BlobFile> {
  try {
    const content = await contentOf(file);
    return content.sha256 === sha256 ? { state: 'intact', size: content.size } : { state: 'damaged' };
  } catch (error) {
    // EIO: the disk cannot read a block. Only this file is damaged, as long as others can be read.
    if ((error as NodeJS.ErrnoException).code === 'EIO') return { state: 'damaged' };
    if (!(error instanceof CorruptBackupError)) throw error;
    return { state: error.message.endsWith('is missing.') ? 'missing' : 'damaged' };
  }
}

/** Copies an intact blob to another folder, as a draft that is then renamed. */
async function copyOver(from: string, folder: string, drafts: string, blob: Content): Promise<void> {
  const to = blobIn(folder, blob.sha256);
  const draft = join(drafts, randomUUID());
  await copyVerified(from, draft, blob);
  makePrivateFolder(blobsIn(folder));
  const shard = join(blobsIn(folder), shardPath(blob.sha256));
  if (makePrivateFolder(shard).length > 0) await syncFolder(blobsIn(folder));
  await renameDurably(draft, to);
}

/**
 * Copies a blob into a backup. Both files are read and compared with the hash that is their name; a damaged one is replaced by the
 * intact one, also in the store.
 * @param drafts folders for drafts, on the disk of the backup and on that of the store
 * @returns null when neither file is intact
 */
export async function copyBlob(
  dataDir: string,
  folder: string,
  drafts: { backup: string; store: string },
  sha256: string,
): Promise<CopiedBlob | null> {
  const [from, to] = [blobIn(dataDir, sha256), blobIn(folder, sha256)];
  const [source, copy] = await Promise.all([inspectFile(from, sha256), inspectFile(to, sha256)]);
  if (source.state === 'intact') {
    const blob = { sha256, size: source.size };
    if (copy.state === 'intact') return { ...blob, outcome: 'unchanged' };
    await copyOver(from, folder, drafts.backup, blob);
    return { ...blob, outcome: copy.state === 'missing' ? 'copied' : 'repaired in the backup' };
  }
  if (copy.state !== 'intact') return null;
  const blob = { sha256, size: copy.size };
  await copyOver(to, dataDir, drafts.store, blob);
  return { ...blob, outcome: 'repaired in the store' };
}
