import { createHash } from 'node:crypto';
import { LIMITS } from '@svc/contracts';
import { databaseIn } from '../../../adapters/disk/data-folder.ts';
import { makeBucket } from '../../../adapters/s3/make-bucket.ts';
import { type BlobStore, KEPT_RECORDS } from '../../../platform/blob-store.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { openBlobs, openDatabase, type System } from '../../open-data.ts';
import { readSetting, SettingError, type Settings } from '../../settings.ts';
import { isInUse } from '../backup/database-copy.ts';
import { inOneLine } from '../backup/folder-store.ts';
import type { Command } from '../command.ts';
import { copyTiles } from './copy-tiles.ts';
import { copyFromPostgres, requireNoOther } from './from-postgres.ts';
import { inPostgres, moveRows, openForReading, sqliteRows, tablesOf } from './rows.ts';
import { verifyVersions } from './verify-versions.ts';

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
  if (!blob) throw new Error(`the blob ${sha256} is missing`);
  if ((await to.open(sha256))?.size === blob.size) return false;
  const staged = await to.stage(blob.stream(), Math.max(blob.size, LIMITS.bundle.bytes));
  if (staged?.sha256 !== sha256) {
    await staged?.discard();
    throw new Error(
      `the blob ${sha256} is damaged: run svc-store backup first, which lists all damaged blobs`,
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

/** The words for a target on SQLite, and for bundles in the data folder. */
const [SQLITE, FOLDER] = ['sqlite', 'folder'];

type Place = Pick<Settings, 'databaseUrl' | 's3' | 'dataDir'>;

/** The bucket that an operand names; without one the bundles stay where they are. */
function bucketOf(settings: Settings, operand: string | undefined): Settings['s3'] {
  const { accessKeyId, secretAccessKey, s3 } = settings;
  if (operand === undefined) return s3;
  if (operand === FOLDER) return null;
  if (accessKeyId === null || secretAccessKey === null)
    throw new SettingError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the keys of the bucket.');
  return { ...readSetting('bucket', operand), accessKeyId, secretAccessKey };
}

/** @throws SettingError unless the store moves to the other database */
function targetOf(settings: Settings, [database = '', bundles]: readonly string[]): Place {
  const databaseUrl = database === SQLITE ? null : readSetting('databaseUrl', database);
  if ((databaseUrl === null) === (settings.databaseUrl === null))
    throw new SettingError(
      databaseUrl === null
        ? 'This store is on SQLite already: name a PostgreSQL database as postgres://…'
        : 'This store is on PostgreSQL already: use pg_dump and pg_restore between two PostgreSQL, or name sqlite.',
    );
  return { databaseUrl, s3: bucketOf(settings, bundles), dataDir: settings.dataDir };
}

const isSameBucket = (one: Settings['s3'], other: Settings['s3']): boolean =>
  one?.endpoint === other?.endpoint && one?.bucket === other?.bucket && one?.prefix === other?.prefix;

/** @throws Error for a bucket that belongs to another store, which must not be changed */
async function requireOwnBucket(from: BlobStore, to: BlobStore): Promise<void> {
  const [own, other] = [await from.owner(), await to.owner()];
  if (other !== null && other !== own) throw new Error(`the bucket belongs to the store ${other}`);
}

/** Opens the database to move from, with the tables of this version, which the target has too. */
async function openSource(settings: Settings, log: System['log']): Promise<Database> {
  if (settings.databaseUrl === null && isInUse(databaseIn(settings.dataDir)))
    throw new Error('the store is running: stop it first');
  return openDatabase(settings, log);
}

/** Copies the rows to the other database, unless it has the same ones already. @returns how many rows there are */
async function moveDatabase(source: Database, target: Database, { databaseUrl, dataDir }: Place) {
  const file = databaseIn(dataDir);
  if (databaseUrl === null) return copyFromPostgres(source, file);
  const sqlite = openForReading(file);
  try {
    const tables = tablesOf(sqlite);
    return await inPostgres(target, (there) => moveRows(tables, sqliteRows(sqlite), there));
  } finally {
    sqlite.close();
  }
}

/** Copies the bundles where they move to another storage. @returns how many there are; null where they stay */
async function moveBlobs(settings: Settings, target: Place, newId: System['newId']) {
  const from = await openBlobs(settings, newId);
  if (isSameBucket(settings.s3, target.s3)) return { from, to: from, counts: null };
  const to = await openBlobs({ ...settings, ...target }, newId);
  await requireOwnBucket(from, to);
  const counts = await copyBlobs(from, to);
  const owner = await from.owner();
  if (owner !== null) await to.claim(owner);
  return { from, to, counts };
}

/**
 * Moves a store from one database to the other, and its bundles where a storage is named. The source is only read. A move that was
 * interrupted continues: it skips the blobs that were copied, and copies all rows in one transaction.
 */
async function migrateTo(settings: Settings, target: Place, { log, newId }: System) {
  const source = await openSource(settings, log);
  try {
    if (settings.databaseUrl !== null) await requireNoOther(source);
    if (target.s3) await makeBucket(target.s3);
    const db = await openDatabase(target, log);
    try {
      const { from, to, counts } = await moveBlobs(settings, target, newId);
      const rows = await moveDatabase(source, db, target);
      const versions = await verifyVersions(db, await readAll(from, to));
      return { rows, versions, counts };
    } finally {
      await db.destroy();
    }
  } finally {
    await source.destroy();
  }
}

/** What to change in the settings before the store starts again. */
function nextOf(settings: Settings, target: Place): string {
  const database = target.databaseUrl === null ? 'remove DATABASE_URL' : 'set DATABASE_URL';
  const bundles = target.s3 ? 'set SVC_BLOBS' : 'remove SVC_BLOBS';
  const steps = [database, ...(isSameBucket(settings.s3, target.s3) ? [] : [bundles])];
  return `In the settings, ${steps.join(', ')}; then start the store.`;
}

/** `svc-store migrate-to DATABASE [BUNDLES]` */
export const migrateToCommand: Command = {
  name: 'migrate-to',
  operands: ['DATABASE'],
  optional: ['BUNDLES'],
  options: {},
  summary:
    'move a store from SQLite to PostgreSQL (DATABASE is postgres://…) or back (sqlite), and its bundles when BUNDLES names a bucket (s3://…) or folder. If it is interrupted, run it again. Stop the store first',
  async run({ operands }, settings, system) {
    const target = targetOf(settings, operands);
    const { rows, versions, counts } = await inOneLine('The store was not moved', () =>
      migrateTo(settings, target, system),
    );
    const place = target.s3 ? 'in the bucket' : 'in the data folder';
    const blobs = counts ? ` ${counts.all} blobs are ${place}, ${counts.copied} of them copied now.` : '';
    const old = settings.databaseUrl === null ? 'the data folder' : 'the old database';
    return `The store was moved: ${rows} rows are the same in both databases, and ${versions} signed versions verify there.${blobs} ${nextOf(settings, target)} Keep SVC_SIGNING_KEY_FILE; keep ${old} until you have checked that the store works.`;
  },
};
