import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { databaseIn, incomingIn } from '../../adapters/disk/data-folder.ts';
import { renameDurably, syncFolder, writeDurably } from '../../adapters/disk/durable-file.ts';
import { chainText, readHeldKeys } from '../../adapters/disk/key-chain-file.ts';
import type { Clock } from '../../platform/system.ts';
import type { Settings } from '../../settings.ts';
import { type Command, CommandError } from '../command.ts';
import { blobIn, type CopiedBlob, copyBlob } from './copy-blob.ts';
import { blobsSpokenOf, claim, copyDatabase } from './database-copy.ts';
import { inOneLine, requireFolderStore } from './folder-store.ts';
import { type Content, CorruptBackupError, contentOf } from './plain-file.ts';
import { type BackupRecord, RECORD, writeRecord } from './record.ts';

/** Names within a backup: who is writing it, what is on its way in, and what is no blob. */
const LOCK = 'backup.lock';
const UNFINISHED = 'unfinished';
const PARTS = 'parts';

/** Where a part of a backup lies that is no blob: a database or a key, by its hash too, so that none replaces another. */
export const partIn = (folder: string, { sha256 }: Content): string => join(folder, PARTS, sha256);

/**
 * Makes the folder, or takes one that is empty or holds a backup. In any other, such as a store's own, a backup would write
 * over what is there.
 */
async function prepareFolder(folder: string, dataDir: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  const [backup, store] = await Promise.all([realpath(folder), realpath(dataDir)]);
  if ((backup + sep).startsWith(store + sep)) {
    if (made) await rm(made, { recursive: true });
    throw new Error(`${folder} is within the store itself.`);
  }
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(LOCK)) {
    throw new Error(`${folder} is not empty, and holds no backup.`);
  }
}

/** Files a finished, durable draft under its hash. */
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
  // Written even when there is one key: its beginning is otherwise the time of its file, which a copy does not keep.
  await writeDurably(draft, chainText(keys));
  return { privateKey, chain: await keepPart(folder, draft) };
}

/** Removes what the record before spoke of, and this one does not. A key must not stay in a backup that says it has none. */
async function removeOldParts(folder: string, { database, keys }: BackupRecord): Promise<void> {
  const kept = new Set([database, ...Object.values(keys ?? {})].map(({ sha256 }) => sha256));
  const names = await readdir(join(folder, PARTS));
  for (const name of names) if (!kept.has(name)) await rm(join(folder, PARTS, name));
}

export type BackupDeps = Pick<Settings, 'dataDir' | 'signingKeyFile'> & { clock: Clock };

const sizeOf = (blobs: readonly CopiedBlob[]): number => blobs.reduce((sum, { size }) => sum + size, 0);

/** Copies every blob that can be had; one that is damaged keeps no other from being safe. */
async function copyBlobs(dataDir: string, folder: string, hashes: readonly string[]) {
  const drafts = { backup: join(folder, UNFINISHED), store: incomingIn(dataDir) };
  const done: CopiedBlob[] = [];
  const missing: string[] = [];
  for (const sha256 of hashes) {
    const blob = await copyBlob(dataDir, folder, drafts, sha256);
    if (blob) done.push(blob);
    else missing.push(sha256);
  }
  return {
    blobs: done.map(({ sha256, size }) => ({ sha256, size })),
    missing,
    copied: sizeOf(done.filter(({ was }) => was === 'copied')),
    healed: done.filter(({ was }) => was.startsWith('healed')),
  };
}

async function fillFolder({ dataDir, signingKeyFile, clock }: BackupDeps, folder: string, withKeys: boolean) {
  const takenAt = clock().toISOString();
  // A rotation between the readings of key and chain only adds to the chain.
  const held = await readHeldKeys(signingKeyFile);
  if (!held) throw new CorruptBackupError(`${signingKeyFile} is missing: there is no store.`);
  const draft = join(folder, UNFINISHED, 'store.sqlite');
  await copyDatabase(databaseIn(dataDir), draft);
  const hashes = await blobsSpokenOf(draft);
  const database = await keepPart(folder, draft);
  // Only now: what the copy names was durable before, and is never changed or removed.
  const { blobs, missing, copied, healed } = await copyBlobs(dataDir, folder, hashes);
  const keys = withKeys ? await keepKeys(folder, held) : null;
  const record = { takenAt, keyId: held.keyId, database, keys, blobs, missing };
  await writeRecord(folder, join(folder, UNFINISHED, RECORD), record);
  await removeOldParts(folder, record);
  return { record, copied, healed };
}

/**
 * Backs a store up into a folder while it may be running: its database by SQLite's own online copy, and then the blobs
 * that this copy refers to. A folder that holds a backup gets what is new; until that is complete it holds the old one.
 * Every blob is read and compared with its hash, in the store and in the backup; what cannot be had whole from either is
 * left out, and named in the record.
 * @param withKeys whether the private key goes with it
 * @returns what the backup holds and lacks, how many bytes of blobs are new in it, and which damaged blobs were replaced
 * @throws Error or Damaged when it cannot be taken
 */
export async function takeBackup(deps: BackupDeps, folder: string, withKeys: boolean) {
  await prepareFolder(folder, deps.dataDir);
  const releaseBuffers = claim(join(folder, LOCK));
  try {
    // What a backup left that was cut off.
    await rm(join(folder, UNFINISHED), { recursive: true, force: true });
    await mkdir(join(folder, UNFINISHED), { mode: 0o700 });
    await mkdir(join(folder, PARTS), { recursive: true, mode: 0o700 });
    await syncFolder(folder);
    return await fillFolder(deps, folder, withKeys);
  } finally {
    await rm(join(folder, UNFINISHED), { recursive: true, force: true });
    releaseBuffers();
  }
}

/** Blobs named in one line at the most. */
const MAX_NAMED = 20;

const named = (lines: readonly string[]): string =>
  lines.slice(0, MAX_NAMED).join(', ') +
  (lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '');

/** What was taken, as sentences for the operator. */
function reportOf(
  folder: string,
  dataDir: string,
  { record, copied, healed }: Awaited<ReturnType<typeof takeBackup>>,
): string[] {
  const keys = record.keys ? `the key ${record.keyId}` : `no key; keep ${record.keyId} elsewhere`;
  const repaired = healed.map(({ sha256, was }) => `${sha256} (${was})`);
  const lost = record.missing.map((sha256) => blobIn(dataDir, sha256));
  return [
    `The backup in ${folder} holds the store at ${record.takenAt}: ${record.blobs.length} blobs (${copied} bytes of them new), and ${keys}.`,
    ...(repaired.length > 0
      ? [`CorruptBackupError files were replaced by sound ones: ${named(repaired)}.`]
      : []),
    ...(lost.length > 0
      ? [
          `${lost.length} blobs are damaged or missing, and not in the backup: ${named(lost)}. Bring them back from an older backup.`,
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
    'copy the store into a folder, also while it runs; a second time only what is new. The signing key only if asked',
  async run({ operands, options }, settings, { clock }) {
    requireFolderStore(settings);
    const folder = resolve(operands[0] as string);
    const taken = await inOneLine('The backup was not taken', () =>
      takeBackup({ ...settings, clock }, folder, options['with-keys'] === true),
    );
    const report = reportOf(folder, settings.dataDir, taken).join(' ');
    if (taken.record.missing.length > 0) throw new CommandError(report);
    return report;
  },
};
