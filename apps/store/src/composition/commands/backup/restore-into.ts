import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import type { RevocationList } from '@svc/contracts';
import { databaseIn } from '../../../adapters/disk/data-folder.ts';
import { openFolderDurably, renameDurably } from '../../../adapters/disk/durable-file.ts';
import { moveKeysIn } from '../../../adapters/disk/key-chain-file.ts';
import { streamFile } from '../../../adapters/disk/stream-file.ts';
import { makeBucket } from '../../../adapters/s3/make-bucket.ts';
import type { BlobStore } from '../../../platform/blob-store.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { openBlobs, openDatabase } from '../../open-data.ts';
import { requireNoOther } from '../migrate/from-postgres.ts';
import { inPostgres, moveRows, openForReading, sqliteRows, tablesOf } from '../migrate/rows.ts';
import { verifyVersions } from '../migrate/verify-versions.ts';
import { referencedBlobs } from './database-copy.ts';
import { joinLists, readGivenList } from './given-list.ts';
import { CorruptBackupError, copyVerified } from './plain-file.ts';
import { type BackupRecord, readRecord } from './record.ts';
import { draftOf, removeKeyDraft, stageKeys } from './stage-keys.ts';
import { type BackupDeps, blobIn, partIn } from './take-backup.ts';

/** Puts the blobs of a backup into a storage, each verified by its hash; those that it has already are not sent again. */
async function putBlobs(folder: string, { blobs }: BackupRecord, to: BlobStore): Promise<void> {
  for (const { sha256, size } of blobs) {
    if ((await to.open(sha256))?.size === size) continue;
    const staged = await to.stage(streamFile(blobIn(folder, sha256), { offset: 0, length: size }), size);
    if (staged?.sha256 !== sha256) {
      await staged?.discard();
      throw new CorruptBackupError(`${blobIn(folder, sha256)} is damaged.`);
    }
    await staged.keep();
  }
}

/** @throws Error for a storage of another store */
async function claim(to: BlobStore, sqlite: string): Promise<void> {
  const reader = openForReading(sqlite);
  const row = reader.prepare('select name from blob_owner where id = 1').get() as
    | { name: string }
    | undefined;
  reader.close();
  const owner = await to.owner();
  if (owner !== null && owner !== row?.name)
    throw new Error(`the bundle storage belongs to the store ${owner}`);
  if (row && owner === null) await to.claim(row.name);
}

/** Keeps a given list, with the entries of the one in the storage, as the newest of the store. */
async function keepList(
  { clock }: BackupDeps,
  to: BlobStore,
  { file, keyFile }: { file: string | null; keyFile: string },
): Promise<RevocationList | null> {
  if (file === null) return null;
  const given = await readGivenList(file, keyFile);
  const kept = await to.keptRecord('revocations');
  await to.keepRecord('revocations', await joinLists(given, { kept, keyFile, clock }));
  return given;
}

/** Copies all rows into an empty PostgreSQL database, in one transaction, and verifies the versions there. */
async function fillPostgres(db: Database, sqlite: string, intact: ReadonlySet<string>): Promise<void> {
  await requireNoOther(db);
  const reader = openForReading(sqlite);
  try {
    const tables = tablesOf(reader);
    await inPostgres(db, (there) => moveRows(tables, sqliteRows(reader), there));
  } finally {
    reader.close();
  }
  await verifyVersions(db, intact);
}

/** @throws Error when the data folder has a database already, which a restore does not replace */
function requireNoDatabase({ databaseUrl, dataDir }: BackupDeps): void {
  if (databaseUrl === null && existsSync(databaseIn(dataDir)))
    throw new Error(`${databaseIn(dataDir)} exists: move it away first.`);
}

/**
 * Restores a backup where the database or the bundles are not in the data folder: into an empty PostgreSQL database, or a new SQLite file,
 * and a bucket or the data folder. A restore that was interrupted is repeated: the rows come last, in one transaction.
 * @returns as `restoreBackup`
 * @throws Error when the database has other rows, or the storage belongs to another store
 */
export async function restoreInto(
  deps: BackupDeps,
  folder: string,
  { revocations }: { revocations: string | null },
) {
  const { dataDir, databaseUrl, signingKeyFile, s3, newId, log } = deps;
  const record = await readRecord(folder);
  requireNoDatabase(deps);
  await openFolderDurably(dataDir);
  const staging = join(dataDir, `restored-${randomUUID()}`);
  makePrivateFolder(staging);
  try {
    const withKeys = await stageKeys({ folder, record }, signingKeyFile);
    const sqlite = join(staging, 'store.sqlite');
    await copyVerified(partIn(folder, record.database), sqlite, record.database);
    await referencedBlobs(sqlite);
    if (s3) await makeBucket(s3);
    const to = await openBlobs(deps, newId);
    await claim(to, sqlite);
    await putBlobs(folder, record, to);
    const keyFile = withKeys ? draftOf(signingKeyFile) : signingKeyFile;
    const given = await keepList(deps, to, { file: revocations, keyFile });
    if (databaseUrl !== null) {
      const db = await openDatabase(deps, log);
      const intact = new Set(record.blobs.map(({ sha256 }) => sha256));
      await fillPostgres(db, sqlite, intact).finally(() => db.destroy());
    }
    if (withKeys) await moveKeysIn(draftOf(signingKeyFile), signingKeyFile);
    if (databaseUrl === null) await renameDurably(sqlite, databaseIn(dataDir));
    const has = async (name: 'revocations' | 'checkpoint') => (await to.keptRecord(name)) !== null;
    return { record, aside: null, given, hasList: await has('revocations'), hasLog: await has('checkpoint') };
  } finally {
    await removeKeyDraft(signingKeyFile);
    await rm(staging, { recursive: true, force: true });
  }
}
