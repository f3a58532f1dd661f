import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import { migrate } from '../adapters/database/migrations.ts';
import { createStores, createUnitOfWork } from '../adapters/database/stores.ts';
import { databaseIn, restoringIn } from '../adapters/disk/data-folder.ts';
import { openDiskBlobStore } from '../adapters/disk/disk-blob-store.ts';
import { openFolderDurably, syncFolder } from '../adapters/disk/durable-file.ts';
import { unlessReadOnly } from '../adapters/disk/faults.ts';
import { chainText, readHeldKeys, writeKeyChain } from '../adapters/disk/key-chain-file.ts';
import { keepKeyOwner, openSigningKey, readKeyOwner } from '../adapters/disk/signing-key-file.ts';
import type { ConnectionCheck } from '../adapters/postgres/open-postgres.ts';
import { openS3BlobStore } from '../adapters/s3/s3-blob-store.ts';
import type { Fetch } from '../adapters/sign-in/provider-client.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { watchChanges } from '../adapters/sqlite/watch-changes.ts';
import { checkKeysByChain, checkKeysBySignatures, type KeyVerdict } from '../core/keys/check-keys.ts';
import type { KeyChainStore } from '../core/keys/key-chain-store.ts';
import type { BlobLedger } from '../core/publishing/blob-ledger.ts';
import { type OwnerDeps, ownsBlobs, reportMissing, wrongBlobs } from '../core/publishing/blob-owner.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Database } from '../platform/database/schema.ts';
import type { Clock, Log, RandomBytes, RequestLog, UnitOfWork } from '../platform/system.ts';
import { createWriteGate } from '../platform/write-gate.ts';
import { watchDatabase } from './own-database.ts';
import { SettingError, type Settings } from './settings.ts';

type KeyStores = { signingKeys: KeyChainStore; blobLedger: Pick<BlobLedger, 'ownerName'> };

/** Checks with the database whether the store may use the current key. */
async function checkKeys(
  { signingKeys, blobLedger }: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<KeyVerdict> {
  const chain = await signingKeys.known();
  if (chain) return checkKeysByChain(chain, held, file);
  const signers = await signingKeys.signers();
  const owner = await readKeyOwner(file);
  const isOthers = owner !== null && owner !== (await blobLedger.ownerName(randomUUID()));
  return checkKeysBySignatures(signers, held, file, isOthers);
}

/**
 * Records the key chain of the store in the database. Run it in a transaction: of two processes that each created a key, the second
 * is refused.
 * @param held null when there is no private key
 * @returns the chain that the store uses
 * @throws SettingError when the current key is not the one of the database, with how to restore the right one
 */
async function requireOwnKeys(
  stores: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<readonly StoreKey[]> {
  const verdict = await checkKeys(stores, held, file);
  if ('refused' in verdict) throw new SettingError(verdict.refused);
  if (held) await stores.signingKeys.record(verdict.chain);
  return verdict.chain;
}

/**
 * Opens the signing key with its chain. The key is created when there is none and nothing was ever signed; otherwise the key of the
 * database must exist.
 * @throws SettingError when that key is missing
 */
export async function openKeys(
  { unitOfWork, newId }: { unitOfWork: UnitOfWork<KeyStores>; newId(): string },
  file: string,
): Promise<{ signingKey: SigningKey; keyChain: readonly StoreKey[] }> {
  if ((await readHeldKeys(file)) === null) {
    await unitOfWork((stores) => requireOwnKeys(stores, null, file));
  }
  const signingKey = await openSigningKey(file, newId);
  const held = (await readHeldKeys(file))?.keys ?? null;
  const { keyChain, name } = await unitOfWork(async (stores) => ({
    keyChain: await requireOwnKeys(stores, held, file),
    name: await stores.blobLedger.ownerName(newId()),
  }));
  // The database has the chain when the file was lost or never copied. Without the file a rotation would start another chain.
  if (held && chainText(held) !== chainText(keyChain)) await unlessReadOnly(writeKeyChain(file, keyChain));
  await keepKeyOwner(file, name);
  return { signingKey, keyChain };
}

/** The clock, the randomness, the network and the log of the process. */
export type System = {
  clock: Clock;
  random: RandomBytes;
  newId(): string;
  log: Log;
  /** When omitted, each request is logged to `log`. */
  logRequest?: RequestLog;
  fetch: Fetch;
};

/** Opens a resource that a setting names. @throws SettingError, with one line for the operator */
export const usable = async <T>(what: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${what} cannot be used: ${(error as Error).message}`);
  }
};

// It is loaded on demand: most stores need none.
const postgres = () => import('../adapters/postgres/open-postgres.ts');

async function migrated(db: Database): Promise<Database> {
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * Opens the database that the settings name, with its tables up to date.
 * @throws when it cannot be used
 */
export const openDatabase = (
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  log: Log,
  onConnect?: ConnectionCheck,
): Promise<Database> =>
  databaseUrl === null
    ? migrated(openSqlite(databaseIn(dataDir)))
    : usable('The database in DATABASE_URL', async () => {
        const { openPostgres } = await postgres();
        return migrated(await openPostgres(databaseUrl, log, onConnect));
      });

export function openBlobs(
  { dataDir, s3 }: Pick<Settings, 'dataDir' | 's3'>,
  newName: () => string,
): Promise<BlobStore> {
  if (s3 === null) return openDiskBlobStore(dataDir, newName);
  const incoming = join(dataDir, 'incoming');
  return usable('The bucket in SVC_BLOBS', () => openS3BlobStore({ settings: s3, incoming, newName }));
}

/** A partly restored store would serve without the rest, and accept uploads that are lost later. */
export function requireNoRestore(dataDir: string): void {
  const restoring = restoringIn(dataDir);
  if (!existsSync(restoring)) return;
  throw new SettingError(
    `${restoring} exists: a restore is in progress, or was interrupted. If it was interrupted, remove the folder and restore again, with --force.`,
  );
}

/**
 * Refuses a new database when the data folder or the bucket already belongs to a store. The cause is nearly always a wrong or missing
 * `DATABASE_URL`, and the store would silently start empty.
 */
async function requireRightDatabase(
  settings: Settings,
  db: Database,
  blobs: BlobStore,
  newId: () => string,
): Promise<void> {
  const { blobLedger, signingKeys } = createStores(db);
  const { dataDir, databaseUrl, s3 } = settings;
  // Read first: a process that starts at the same time records its key before it claims the bundles.
  const owner = await blobs.owner();
  if ((await signingKeys.known()) !== null || (await signingKeys.signers()).length > 0) return;
  if (databaseUrl !== null && existsSync(databaseIn(dataDir)))
    throw new SettingError(
      `DATABASE_URL names a database without a store, and ${dataDir} contains a store: move that store with svc-store migrate-to, or start a new one with an empty SVC_DATA_DIR.`,
    );
  if (owner === null || owner === (await blobLedger.ownerName(newId()))) return;
  const where = s3 === null ? `the bundles in ${dataDir} belong` : 'the bucket in SVC_BLOBS belongs';
  throw new SettingError(
    `The database is new, and ${where} to a store: use the database of that store, restore a backup, or start a new store with ${s3 === null ? 'an empty SVC_DATA_DIR' : 'an empty bucket'}.`,
  );
}

/** PostgreSQL has no change mark that is cheaper than the query itself. */
const changesOf = ({ databaseUrl, dataDir }: Settings): ReturnType<typeof watchChanges> =>
  databaseUrl === null ? watchChanges(databaseIn(dataDir)) : { changeMark: () => null, close: () => {} };

/** Opens the database, the bundles and the keys. @throws SettingError when they belong to another store */
export async function openData(settings: Settings, { newId, log }: System) {
  const { dataDir, signingKeyFile } = settings;
  requireNoRestore(dataDir);
  await openFolderDurably(dataDir);
  const database = watchDatabase();
  const writeGate = createWriteGate();
  const db = (await openDatabase(settings, log, database.onConnect)).withPlugin(writeGate.plugin);
  // The files that the first start creates must survive a power cut before anything is acknowledged.
  await syncFolder(dataDir);
  try {
    const unitOfWork = createUnitOfWork(db);
    const blobs = await openBlobs(settings, newId);
    await requireRightDatabase(settings, db, blobs, newId);
    const keys = await openKeys({ unitOfWork, newId }, signingKeyFile);
    return { db, database, blobs, unitOfWork, writeGate, ...keys, changes: changesOf(settings) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * Claims the bundle storage for this store, before anything is published: the owner of an empty storage is certain. Logs what it lacks.
 * @throws SettingError when it belongs to another store
 */
export async function requireOwnBlobs(deps: OwnerDeps & { log: Log }): Promise<void> {
  const why = await wrongBlobs(deps);
  if (why !== null) throw new SettingError(why);
  await ownsBlobs(deps);
  await reportMissing(deps);
}
