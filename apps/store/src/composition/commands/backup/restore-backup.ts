import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import type { RevocationList } from '@svc/contracts';
import { shardPath } from '../../../adapters/blob-name.ts';
import {
  blobsIn,
  databaseIn,
  keptRecordIn,
  restoringIn,
  STORE_FILES,
} from '../../../adapters/disk/data-folder.ts';
import {
  openFolderDurably,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../../../adapters/disk/durable-file.ts';
import { moveKeysIn } from '../../../adapters/disk/key-chain-file.ts';
import { KEPT_RECORDS } from '../../../platform/blob-store.ts';
import type { Clock } from '../../../platform/system.ts';
import type { Settings } from '../../settings.ts';
import { type Command, CommandError } from '../command.ts';
import { isInUse, referencedBlobs } from './database-copy.ts';
import { inOneLine, isFolderStore } from './folder-store.ts';
import { joinLists, readGivenList } from './given-list.ts';
import { CorruptBackupError, copyVerified, verifyFile } from './plain-file.ts';
import { type BackupRecord, readRecord } from './record.ts';
import { restoreInto } from './restore-into.ts';
import { draftOf, removeKeyDraft, stageKeys } from './stage-keys.ts';
import { blobIn, partIn } from './take-backup.ts';

export type RestoreDeps = Pick<Settings, 'dataDir' | 'signingKeyFile'> & { clock: Clock };

/** The backup to restore, its record, and the folder in which the store is assembled. */
type Restoring = { folder: string; record: BackupRecord; staging: string };

/** @throws CorruptBackupError when a part of the backup is missing, or differs from the record */
export async function checkBackup(folder: string): Promise<BackupRecord> {
  const record = await readRecord(folder);
  for (const part of [record.database, ...Object.values(record.keys ?? {})]) {
    await verifyFile(partIn(folder, part), part);
  }
  for (const blob of record.blobs) await verifyFile(blobIn(folder, blob.sha256), blob);
  return record;
}

/** Copies the blobs. Each shard folder is synced once, not once a blob. */
async function stageBlobs({ folder, record, staging }: Restoring): Promise<void> {
  const shards = new Set(record.blobs.map(({ sha256 }) => shardPath(sha256)));
  for (const shard of shards) makePrivateFolder(join(blobsIn(staging), shard));
  for (const blob of record.blobs) {
    await copyVerified(blobIn(folder, blob.sha256), blobIn(staging, blob.sha256), blob);
  }
  for (const shard of shards) await syncFolder(join(blobsIn(staging), shard));
  await syncFolder(blobsIn(staging));
}

/** Copies the database, and migrates it already now: a database that this program cannot use must not replace another. */
async function stageDatabase({ folder, record, staging }: Restoring): Promise<void> {
  const file = databaseIn(staging);
  await copyVerified(partIn(folder, record.database), file, record.database);
  const held = new Set([...record.missing, ...record.blobs.map(({ sha256 }) => sha256)]);
  for (const sha256 of await referencedBlobs(file)) {
    if (!held.has(sha256))
      throw new CorruptBackupError(`The backup lacks the blob ${sha256}, to which its database refers.`);
  }
}

/** Creates the folder in which this restore works. Of two restores at the same time only one can create it. */
async function makeStaging(dataDir: string): Promise<string> {
  const staging = restoringIn(dataDir);
  await openFolderDurably(dataDir);
  if (makePrivateFolder(staging).length === 0)
    throw new Error(
      `${staging} exists: another restore is in progress, or was interrupted. If it was interrupted, remove the folder.`,
    );
  makePrivateFolder(blobsIn(staging));
  await syncFolder(dataDir);
  return staging;
}

/** Moves the existing store aside. @returns its new folder; null when there was none */
async function moveAside(dataDir: string, clock: Clock): Promise<string | null> {
  const names = (await readdir(dataDir)).filter((name) => STORE_FILES.includes(name));
  if (names.length === 0) return null;
  const aside = join(dataDir, `replaced-${clock().toISOString().replaceAll(':', '-')}`);
  makePrivateFolder(aside);
  for (const name of names) await rename(join(dataDir, name), join(aside, name));
  await syncFolder(aside);
  return aside;
}

/**
 * Keeps the records next to the bundles of the store that is replaced: clients apply the yanks of its revocation list, which the
 * restored store adopts, and the versions that were published since the backup are named. A list that is staged has its entries already.
 */
async function carryRecords(dataDir: string, staging: string): Promise<void> {
  for (const name of KEPT_RECORDS) {
    const [file, staged] = [keptRecordIn(dataDir, name), keptRecordIn(staging, name)];
    if (existsSync(file) && !existsSync(staged)) await writeDurably(staged, await readFile(file));
  }
}

/** What a restore is asked for beside the backup. */
type Wishes = {
  /** Whether an existing store is moved aside; it is never removed. */
  force: boolean;
  /** The file of a revocation list that is newer than the backup; null for none. */
  revocations: string | null;
};

/** Stages a given list, with the entries of the one that is here, as the newest of the store, which yanks its versions when it starts. */
async function stageList(
  { staging }: Restoring,
  { dataDir, signingKeyFile, clock }: RestoreDeps,
  { revocations, withKeys }: Pick<Wishes, 'revocations'> & { withKeys: boolean },
): Promise<RevocationList | null> {
  if (revocations === null) return null;
  const keyFile = withKeys ? draftOf(signingKeyFile) : signingKeyFile;
  const given = await readGivenList(revocations, keyFile);
  const file = keptRecordIn(dataDir, 'revocations');
  const kept = existsSync(file) ? await readFile(file, 'utf8') : null;
  const text = await joinLists(given, { kept, keyFile, clock });
  await writeDurably(keptRecordIn(staging, 'revocations'), Buffer.from(text));
  return given;
}

/** Moves the staged files into place. A failure leaves the staging folder, so that no store starts with a part of them. */
async function moveIn(staging: string, { dataDir, signingKeyFile, clock }: RestoreDeps, withKeys: boolean) {
  await carryRecords(dataDir, staging);
  const aside = await moveAside(dataDir, clock);
  await rename(blobsIn(staging), blobsIn(dataDir));
  if (withKeys) await moveKeysIn(draftOf(signingKeyFile), signingKeyFile);
  await renameDurably(databaseIn(staging), databaseIn(dataDir));
  await rm(staging, { recursive: true });
  await syncFolder(dataDir);
  return aside;
}

/** @throws Error when there is a store that may not be replaced, or that is running */
function requireReplaceable(dataDir: string, force: boolean): void {
  const hasStore = STORE_FILES.some((name) => existsSync(join(dataDir, name)));
  if (hasStore && !force) throw new Error(`${dataDir} contains a store; --force moves it aside.`);
  if (isInUse(databaseIn(dataDir))) throw new Error(`a store is running on ${dataDir}: stop it first.`);
}

/** Copies everything that will be moved in to the disk, and verifies it. @returns whether there are keys to move in, and the given list */
async function stage(restoring: Restoring, deps: RestoreDeps, { force, revocations }: Wishes) {
  const withKeys = await stageKeys(restoring, deps.signingKeyFile);
  const given = await stageList(restoring, deps, { revocations, withKeys });
  await stageDatabase(restoring);
  await stageBlobs(restoring);
  await syncFolder(restoring.staging);
  // Checked again, for a store that was started just before the staging folder was created.
  requireReplaceable(deps.dataDir, force);
  return { withKeys, given };
}

/**
 * Restores a store from a backup. Everything is copied and verified in a staging folder before an existing store is changed; a
 * restore that fails leaves everything as it was.
 * @returns the record of the backup, the folder of the store that was moved aside, or null when there was none, the given list, and
 *   whether the store has a revocation list, and a checkpoint of its log, from after the backup
 * @throws Error, or CorruptBackupError for a damaged backup
 */
export async function restoreBackup(deps: RestoreDeps, folder: string, wishes: Wishes) {
  const record = await readRecord(folder);
  requireReplaceable(deps.dataDir, wishes.force);
  const staging = await makeStaging(deps.dataDir);
  const { withKeys, given } = await stage({ folder, record, staging }, deps, wishes).catch(
    async (error: unknown) => {
      await removeKeyDraft(deps.signingKeyFile);
      await rm(staging, { recursive: true, force: true });
      throw error;
    },
  );
  const aside = await moveIn(staging, deps, withKeys).catch((error: Error) => {
    throw new Error(
      `it stopped halfway (${error.message}): remove ${staging} and restore again, with --force.`,
    );
  });
  return {
    record,
    aside,
    given,
    hasList: existsSync(keptRecordIn(deps.dataDir, 'revocations')),
    hasLog: existsSync(keptRecordIn(deps.dataDir, 'checkpoint')),
  };
}

/** What a restore did, for the report of it. */
export type Restored = Awaited<ReturnType<typeof restoreBackup>>;

const contentsOf = ({ takenAt, blobs, keyId }: BackupRecord): string =>
  `the store at ${takenAt}: ${blobs.length} blobs, signed with ${keyId}`;

/** The versions of missing blobs cannot be downloaded; the names are hashes, as in `blobs/ab/abcd…`. */
const missingOf = ({ missing }: BackupRecord): string =>
  missing.length === 0 ? '' : ` It lacks ${missing.length} blobs: ${missing.join(', ')}.`;

/** What the restored store knows of the yanks since the backup. */
function yanksOf({ record, given, hasList }: Restored): string {
  if (given) {
    const { entries, signedAt } = given;
    const since = entries.filter(({ at }) => at > record.takenAt).length;
    const until = signedAt > record.takenAt ? signedAt : record.takenAt;
    return ` It takes the yanks of the list of ${signedAt} (${entries.length}, of these ${since} from after the backup); what was yanked after ${until} it cannot know.`;
  }
  if (hasList)
    return ' It keeps the yanks of the revocation list that was here. If that store was itself restored, and you have a list from before, restore again with --force and --revocations FILE.';
  return ` It cannot know what was yanked after ${record.takenAt}. If you have a later answer of GET /api/apps/revocations, or blobs/revocations, restore again with --force and --revocations FILE before you start the store; otherwise yank these versions again before clients reach the store.`;
}

/** What clients say of the log of the restored store: a backup has its entries, and not what was published since. */
const logOf = ({ hasLog }: Pick<Restored, 'hasLog'>): string =>
  hasLog
    ? ''
    : ' Clients that saw a newer log of this store refuse it: if you have the old disk, copy its log/ and blobs/checkpoint here before you start the store.';

/** `svc-store restore FOLDER` */
export const restoreCommand: Command = {
  name: 'restore',
  operands: ['FOLDER'],
  options: { force: { type: 'boolean' }, check: { type: 'boolean' }, revocations: { type: 'string' } },
  summary:
    'restore a store from a backup, into the database and the storage of the settings. --force moves an existing store of a data folder aside; --check only verifies the backup; --revocations FILE takes the yanks of a later revocation list of the store',
  async run({ operands, options }, settings, system) {
    const folder = resolve(operands[0] as string);
    if (options.check === true) {
      const record = await inOneLine('The backup cannot be used', () => checkBackup(folder));
      if (record.missing.length > 0)
        throw new CommandError(`The backup in ${folder} is incomplete.${missingOf(record)}`);
      return `The backup in ${folder} is complete. It contains ${contentsOf(record)}.`;
    }
    const revocations = typeof options.revocations === 'string' ? resolve(options.revocations) : null;
    const wishes = { force: options.force === true, revocations };
    const deps = { ...settings, ...system };
    const restored = await inOneLine('The store was not restored', () =>
      isFolderStore(settings) ? restoreBackup(deps, folder, wishes) : restoreInto(deps, folder, wishes),
    );
    const { record, aside } = restored;
    const before = aside ? ` The previous store is in ${aside}.` : '';
    return `Restored ${contentsOf(record)}.${missingOf(record)}${before}${yanksOf(restored)}${logOf(restored)} Start the store.`;
  },
};
