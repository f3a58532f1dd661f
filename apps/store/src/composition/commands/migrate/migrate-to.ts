import { createHash } from 'node:crypto';
import { LIMITS } from '@svc/contracts';
import { keyRing, verifyHashedBundle } from '@svc/signing';
import { createStores } from '../../../adapters/database/stores.ts';
import { databaseIn } from '../../../adapters/disk/data-folder.ts';
import { openDiskBlobStore } from '../../../adapters/disk/disk-blob-store.ts';
import { makeBucket } from '../../../adapters/s3/make-bucket.ts';
import type { SignedVersion } from '../../../core/keys/key-chain-store.ts';
import { type BlobStore, KEPT_RECORDS } from '../../../platform/blob-store.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { openBlobs, openDatabase, type System } from '../../open-data.ts';
import { readSetting, SettingError, type Settings } from '../../settings.ts';
import { isInUse } from '../backup/database-copy.ts';
import { inOneLine, requireFolderStore } from '../backup/folder-store.ts';
import type { Command } from '../command.ts';
import { copyTiles } from './copy-tiles.ts';
import { compareRows, copyRows, openForReading } from './rows.ts';

/**
 * Runs work for each item of an iterable, a few at a time, and resolves when all are done.
 * @param concurrency how many run at the same time
 * @throws the first error; no item is started after it
 */
export async function forEach<T>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<void>,
  concurrency: number,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let hasFailed = false;
  const worker = async () => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done || hasFailed) return;
        await work(next.value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  await iterator.return?.();
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

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
async function copyBlobs(from: BlobStore, to: BlobStore): Promise<{ copied: number; all: number }> {
  let [copied, all] = [0, 0];
  const copy = async (sha256: string) => {
    all += 1;
    if (await copyOne(from, to, sha256)) copied += 1;
  };
  await forEach(from.list(), copy, CONCURRENCY);
  await copyTiles(from, to);
  for (const name of KEPT_RECORDS) {
    const text = await from.keptRecord(name);
    if (text !== null) await to.keepRecord(name, text);
  }
  return { copied, all };
}

/**
 * Reads every blob of one storage in another storage, and compares it with the hash that is its name.
 * @returns the hashes of all blobs
 * @throws Error for a blob that is missing or damaged
 */
async function readAll(from: BlobStore, to: BlobStore): Promise<ReadonlySet<string>> {
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

/** Manifests held in memory at a time. */
const BATCH = 100;

type Target = Pick<Settings, 'databaseUrl' | 's3' | 'dataDir'>;

/** The database and the bucket to move the store to. Without a bucket the bundles stay in the data folder. */
function targetOf(settings: Settings, [databaseUrl = '', bucket]: readonly string[]): Target {
  const { accessKeyId, secretAccessKey, dataDir } = settings;
  const url = readSetting('databaseUrl', databaseUrl);
  if (bucket === undefined) return { databaseUrl: url, s3: null, dataDir };
  if (accessKeyId === null || secretAccessKey === null)
    throw new SettingError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the keys of the bucket.');
  return {
    databaseUrl: url,
    s3: { ...readSetting('bucket', bucket), accessKeyId, secretAccessKey },
    dataDir,
  };
}

/** @throws Error for a bucket that belongs to another store, which must not be changed */
async function requireOwnBucket(from: BlobStore, to: BlobStore): Promise<void> {
  const [own, other] = [await from.owner(), await to.owner()];
  if (other !== null && other !== own) throw new Error(`the bucket belongs to the store ${other}`);
}

/** Copies the rows, unless the target already has the same ones. @returns how many rows there are */
async function moveRows(file: string, target: Database): Promise<number> {
  const source = openForReading(file);
  try {
    const before = await compareRows(source, target);
    if (before.different.length === 0) return before.rows;
    if (!before.isEmpty)
      throw new Error(`the target database contains other rows: ${before.different.join(', ')}`);
    await target.transaction().execute((tx) => copyRows(source, tx));
    const after = await compareRows(source, target);
    if (after.different.length > 0) throw new Error(`these tables differ: ${after.different.join(', ')}`);
    return after.rows;
  } finally {
    source.close();
  }
}

/**
 * Verifies each signed version of a database as a client does, against the hashes of bytes that were read.
 * @returns how many versions were verified
 */
async function verifyVersions(db: Database, intact: ReadonlySet<string>): Promise<number> {
  const { signingKeys } = createStores(db);
  const keys = keyRing((await signingKeys.known()) ?? []);
  let verified = 0;
  let batch = await signingKeys.signedAfter(null, BATCH);
  while (batch.length > 0) {
    for (const version of batch) {
      const { appId, version: number, sha256, manifest } = version;
      if (!intact.has(sha256)) throw new Error(`the bundle of ${appId} ${number} is missing`);
      const result = verifyHashedBundle(sha256, manifest, version, keys);
      if (!result.ok) throw new Error(`${appId} ${number} does not verify: ${result.message}`);
    }
    verified += batch.length;
    batch = await signingKeys.signedAfter(batch.at(-1) as SignedVersion, BATCH);
  }
  return verified;
}

/**
 * Moves a store from SQLite and disk to PostgreSQL, and to S3 when a bucket is named. The source is only read. A
 * move that was interrupted continues: it skips the blobs that were copied, and copies all rows in one transaction.
 */
async function migrateTo(settings: Settings, target: Target, { log, newId }: System) {
  const file = databaseIn(settings.dataDir);
  if (isInUse(file)) throw new Error('the store is running: stop it first');
  // Migrates the source to the tables of this version, which the target has too.
  await (await openDatabase(settings, log)).destroy();
  const from = await openDiskBlobStore(settings.dataDir, newId);
  if (target.s3) await makeBucket(target.s3);
  const db = await openDatabase(target, log);
  try {
    const to = target.s3 ? await openBlobs({ ...settings, ...target }, newId) : from;
    if (target.s3) await requireOwnBucket(from, to);
    const { copied, all } = target.s3 ? await copyBlobs(from, to) : { copied: 0, all: 0 };
    const owner = await from.owner();
    if (target.s3 && owner !== null) await to.claim(owner);
    const rows = await moveRows(file, db);
    const versions = await verifyVersions(db, await readAll(from, to));
    return { rows, versions, copied, all };
  } finally {
    await db.destroy();
  }
}

/** `svc-store migrate-to DATABASE_URL [BLOBS]` */
export const migrateToCommand: Command = {
  name: 'migrate-to',
  operands: ['DATABASE_URL'],
  optional: ['BLOBS'],
  options: {},
  summary:
    'move a store from SQLite and disk to PostgreSQL, and its bundles to S3 when BLOBS names a bucket. If it is interrupted, run it again. Stop the store first',
  async run({ operands }, settings, system) {
    requireFolderStore(settings);
    const target = targetOf(settings, operands);
    const { rows, versions, copied, all } = await inOneLine('The store was not moved', () =>
      migrateTo(settings, target, system),
    );
    const blobs = target.s3 ? ` ${all} blobs are in the bucket, ${copied} of them copied now.` : '';
    const names = target.s3 ? 'DATABASE_URL and SVC_BLOBS' : 'DATABASE_URL';
    return `The store was moved: ${rows} rows are the same in both databases, and ${versions} signed versions verify there.${blobs} Set ${names} and start the store. Keep SVC_SIGNING_KEY_FILE; keep the data folder until you have checked that the store works.`;
  },
};
