import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from './adapters/database/migrations.ts';
import { createStores, createUnitOfWork, knownHashes } from './adapters/database/stores.ts';
import { openDiskBlobStore } from './adapters/disk/disk-blob-store.ts';
import { openSigningKey } from './adapters/disk/signing-key-file.ts';
import { openSqlite } from './adapters/sqlite/open-sqlite.ts';
import type { Clock, Log, RandomBytes } from './platform/ambient.ts';
import type { BundleInspector } from './publishing/admit-bundle.ts';
import { removeOrphans, resumeVersions } from './publishing/resume.ts';
import { BadSetting, type Settings } from './settings.ts';
import { createStore } from './store.ts';
import { readWebFiles } from './web/read-web-files.ts';

/** What comes from outside the program. */
export type Ambient = { clock: Clock; random: RandomBytes; newId(): string; log: Log };

/** How often versions that were left behind are taken up again, in milliseconds. */
const RESUME_EVERY_MS = 60_000;

const inFolder = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new BadSetting(`The data folder ${dataDir} cannot be used: ${(error as Error).message}`);
  }
};

async function openAdapters({ dataDir, signingKeyFile }: Settings, newId: () => string) {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const db = openSqlite(join(dataDir, 'store.sqlite'));
  await migrate(db);
  const [blobs, signingKey] = await Promise.all([
    openDiskBlobStore(dataDir, newId),
    openSigningKey(signingKeyFile, newId),
  ]);
  return { db, blobs, signingKey };
}

/**
 * Opens a store over its data folder: makes what is missing, finishes what an earlier process left behind.
 * @throws BadSetting when the folder or the key in it cannot be used
 */
export async function openStore(settings: Settings, ambient: Ambient, inspector: BundleInspector) {
  const { db, blobs, signingKey } = await inFolder(settings.dataDir, () =>
    openAdapters(settings, ambient.newId),
  );
  const stores = createStores(db);
  const parts = {
    ...settings,
    ...ambient,
    inspector,
    stores,
    unitOfWork: createUnitOfWork(db),
    blobs,
    signingKey,
    webFiles: await readWebFiles(settings.webDir),
    policy: { flaggedCodes: new Set(settings.flaggedCodes) },
  };
  await removeOrphans({ blobs, knownHashes: () => knownHashes(db) });
  const resume = () => resumeVersions({ ...parts, ...stores });
  await resume();
  const timer = setInterval(() => {
    resume().catch((error: unknown) => ambient.log.error({ err: error }, 'Taking up versions again failed.'));
  }, RESUME_EVERY_MS);
  timer.unref();
  return {
    ...createStore(parts),
    keyId: signingKey.keyId,
    async close() {
      clearInterval(timer);
      await db.destroy();
    },
  };
}
