import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, realpath, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { makePrivateFolder, openPrivateFolder } from '@svc/bundle/private-files';
import { shardPath } from '../../../adapters/blob-name.ts';
import { blobsIn, incomingIn } from '../../../adapters/disk/data-folder.ts';
import { renameDurably, syncFolder, writeDurably } from '../../../adapters/disk/durable-file.ts';
import { chainText, readHeldKeys } from '../../../adapters/disk/key-chain-file.ts';
import { spoolToFile } from '../../../adapters/disk/spool-to-file.ts';
import { streamFile } from '../../../adapters/disk/stream-file.ts';
import { OtherBytesError } from '../../../adapters/s3/verified-stream.ts';
import type { BlobStore } from '../../../platform/blob-store.ts';
import { openBlobs, type System } from '../../open-data.ts';
import type { Settings } from '../../settings.ts';
import { type Command, CommandError } from '../command.ts';
import { claim, copyStore, referencedBlobs } from './database-copy.ts';
import { inOneLine } from './folder-store.ts';
import { type Content, CorruptBackupError, contentOf, copyVerified } from './plain-file.ts';
import { type BackupRecord, RECORD, writeRecord } from './record.ts';

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
async function copyBlob(
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

/** Names within a backup: the lock file, the folder for drafts, and the folder for files that are not blobs. */
const LOCK = 'backup.lock';
const UNFINISHED = 'unfinished';
const PARTS = 'parts';

/** The path of a database or a key in a backup. It is named by its hash too, so that none replaces another. */
export const partIn = (folder: string, { sha256 }: Content): string => join(folder, PARTS, sha256);

/**
 * Creates the folder, or accepts one that is empty or contains a backup. In any other folder, such as that of a store, a backup would
 * overwrite files.
 */
async function prepareFolder(folder: string, { dataDir, databaseUrl, s3 }: BackupDeps): Promise<void> {
  // That of a store on PostgreSQL and S3 may be on another machine.
  if (databaseUrl !== null && s3 !== null && !existsSync(dataDir)) makePrivateFolder(dataDir);
  const [createdFolder] = makePrivateFolder(folder);
  const [backup, store] = await Promise.all([realpath(folder), realpath(dataDir)]);
  if ((backup + sep).startsWith(store + sep)) {
    if (createdFolder) await rm(createdFolder, { recursive: true });
    throw new Error(`${folder} is within the store itself.`);
  }
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(LOCK)) {
    throw new Error(`${folder} is not empty, and contains no backup.`);
  }
  openPrivateFolder(folder);
}

/** Renames a finished, durable draft to its hash. */
async function keepPart(folder: string, draft: string): Promise<Content> {
  const { sha256, size } = await contentOf(draft);
  await renameDurably(draft, partIn(folder, { sha256, size }));
  return { sha256, size };
}

type HeldKeys = NonNullable<Awaited<ReturnType<typeof readHeldKeys>>>;

async function keepKeys(folder: string, { pem, keys }: HeldKeys) {
  const draft = join(folder, UNFINISHED, 'key');
  await writeDurably(draft, pem);
  const privateKey = await keepPart(folder, draft);
  // Written even when there is one key: without a chain its start is the time of the key file, which a copy does not keep.
  await writeDurably(draft, chainText(keys));
  return { privateKey, chain: await keepPart(folder, draft) };
}

/** Removes the parts of the previous record that this one does not have. No key must stay in a backup without keys. */
async function removeOldParts(folder: string, { database, keys }: BackupRecord): Promise<void> {
  const currentParts = new Set([database, ...Object.values(keys ?? {})].map(({ sha256 }) => sha256));
  const names = await readdir(join(folder, PARTS));
  for (const name of names) if (!currentParts.has(name)) await rm(join(folder, PARTS, name));
}

/** Where the parts of a store are, and what a backup of it needs of the process. */
export type BackupDeps = Pick<Settings, 'dataDir' | 'databaseUrl' | 's3' | 'signingKeyFile'> &
  Pick<System, 'clock' | 'newId' | 'log'>;

const sizeOf = (blobs: readonly CopiedBlob[]): number => blobs.reduce((sum, { size }) => sum + size, 0);

/** Copies a blob from the bucket to the backup, and compares it with its hash. @returns null when the bucket has no intact one */
async function fetchBlob(bucket: BlobStore, folder: string, sha256: string): Promise<CopiedBlob | null> {
  const stored = await bucket.open(sha256);
  if (!stored) return null;
  const draft = join(folder, UNFINISHED, randomUUID());
  const spooled = await spoolToFile(stored.stream(), draft, stored.size).catch((error: unknown) => {
    if (error instanceof OtherBytesError) return null;
    throw error;
  });
  await spooled?.close();
  if (spooled?.sha256 !== sha256) {
    await rm(draft, { force: true });
    return null;
  }
  await copyOver(draft, folder, join(folder, UNFINISHED), { sha256, size: spooled.size });
  await rm(draft);
  return { sha256, size: spooled.size, outcome: 'copied' };
}

/** Puts a blob that the bucket lacks, or has in part, back from the backup. */
async function returnBlob(bucket: BlobStore, file: string, { sha256, size }: Content): Promise<void> {
  const staged = await bucket.stage(streamFile(file, { offset: 0, length: size }), size);
  if (staged?.sha256 === sha256) return staged.keep();
  await staged?.discard();
  throw new CorruptBackupError(`${file} is damaged.`);
}

/** The same as `copyBlob` for a bucket: of a blob that the backup has, the bucket is only asked for its size. */
async function copyStored(bucket: BlobStore, folder: string, sha256: string): Promise<CopiedBlob | null> {
  const file = blobIn(folder, sha256);
  const copy = await inspectFile(file, sha256);
  if (copy.state !== 'intact') return fetchBlob(bucket, folder, sha256);
  const blob = { sha256, size: copy.size };
  if ((await bucket.open(sha256))?.size === copy.size) return { ...blob, outcome: 'unchanged' };
  await returnBlob(bucket, file, blob);
  return { ...blob, outcome: 'repaired in the store' };
}

/** Copies every blob of which there is an intact file. A damaged blob does not stop the copy of the others. */
async function copyBlobs(deps: BackupDeps, folder: string, hashes: readonly string[]) {
  const { dataDir, s3 } = deps;
  const drafts = { backup: join(folder, UNFINISHED), store: incomingIn(dataDir) };
  const bucket = s3 === null ? null : await openBlobs(deps, deps.newId);
  const copiedBlobs: CopiedBlob[] = [];
  const missing: string[] = [];
  for (const sha256 of hashes) {
    const blob = bucket
      ? await copyStored(bucket, folder, sha256)
      : await copyBlob(dataDir, folder, drafts, sha256);
    if (blob) copiedBlobs.push(blob);
    else missing.push(sha256);
  }
  return {
    blobs: copiedBlobs.map(({ sha256, size }) => ({ sha256, size })),
    missing,
    copied: sizeOf(copiedBlobs.filter(({ outcome }) => outcome === 'copied')),
    repaired: copiedBlobs.filter(({ outcome }) => outcome.startsWith('repaired')),
  };
}

async function fillFolder(deps: BackupDeps, folder: string, withKeys: boolean) {
  const takenAt = deps.clock().toISOString();
  // A rotation between reading the key and reading the chain only appends to the chain.
  const held = await readHeldKeys(deps.signingKeyFile);
  if (!held) throw new CorruptBackupError(`${deps.signingKeyFile} is missing: there is no store.`);
  const draft = join(folder, UNFINISHED, 'store.sqlite');
  await copyStore(deps, draft);
  const hashes = await referencedBlobs(draft);
  const database = await keepPart(folder, draft);
  // Only after the database: the blobs that the copy refers to were durable before, and are never changed or removed.
  const { blobs, missing, copied, repaired } = await copyBlobs(deps, folder, hashes);
  const keys = withKeys ? await keepKeys(folder, held) : null;
  const record = { takenAt, keyId: held.keyId, database, keys, blobs, missing };
  await writeRecord(folder, join(folder, UNFINISHED, RECORD), record);
  await removeOldParts(folder, record);
  return { record, copied, repaired };
}

/**
 * Backs up a store, which may be running, into a folder: its database as SQLite, by the online backup of SQLite or from one snapshot of
 * PostgreSQL, and then the blobs that this copy refers to, from the disk or the bucket. A folder that contains a backup receives only what is new; until that is complete it contains the old backup. Every
 * blob is read and compared with its hash, in the store and in the backup; a blob that is intact in neither is listed as missing in
 * the record.
 * @param withKeys whether the backup includes the private key
 * @returns the record, the number of new bytes of blobs, and the damaged blobs that were replaced
 * @throws Error, or CorruptBackupError when a file of the store is missing or damaged
 */
export async function takeBackup(deps: BackupDeps, folder: string, withKeys: boolean) {
  await prepareFolder(folder, deps);
  const unlock = claim(join(folder, LOCK));
  try {
    // The drafts of an interrupted backup.
    await rm(join(folder, UNFINISHED), { recursive: true, force: true });
    makePrivateFolder(join(folder, UNFINISHED));
    makePrivateFolder(join(folder, PARTS));
    await syncFolder(folder);
    return await fillFolder(deps, folder, withKeys);
  } finally {
    await rm(join(folder, UNFINISHED), { recursive: true, force: true });
    unlock();
  }
}

/** Maximum blobs that one line names. */
const MAX_NAMED = 20;

const named = (lines: readonly string[]): string =>
  lines.slice(0, MAX_NAMED).join(', ') +
  (lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '');

/** Describes the backup in sentences for the operator. */
function reportOf(
  folder: string,
  { dataDir, s3 }: Pick<Settings, 'dataDir' | 's3'>,
  { record, copied, repaired }: Awaited<ReturnType<typeof takeBackup>>,
): string[] {
  const keys = record.keys ? `the key ${record.keyId}` : `no key; keep ${record.keyId} elsewhere`;
  const replaced = repaired.map(({ sha256, outcome }) => `${sha256} (${outcome})`);
  const lost = record.missing.map((sha256) => (s3 ? sha256 : blobIn(dataDir, sha256)));
  return [
    `The backup in ${folder} contains the store at ${record.takenAt}: ${record.blobs.length} blobs (${copied} bytes of them new), and ${keys}.`,
    ...(replaced.length > 0 ? [`Damaged files were replaced by intact ones: ${named(replaced)}.`] : []),
    ...(lost.length > 0
      ? [
          `${lost.length} blobs are damaged or missing, and not in the backup: ${named(lost)}. Restore them from an older backup.`,
        ]
      : []),
  ];
}

/** `svc-store backup FOLDER` */
export const backupCommand: Command = {
  name: 'backup',
  operands: ['FOLDER'],
  options: { 'with-keys': { type: 'boolean' } },
  summary:
    'copy the store into a folder, also while it runs; a second run copies only what is new. --with-keys includes the signing key',
  async run({ operands, options }, settings, { clock, newId, log }) {
    const folder = resolve(operands[0] as string);
    const backup = await inOneLine('The backup was not taken', () =>
      takeBackup({ ...settings, clock, newId, log }, folder, options['with-keys'] === true),
    );
    const report = reportOf(folder, settings, backup).join(' ');
    if (backup.record.missing.length > 0) throw new CommandError(report);
    return report;
  },
};
