import { join } from 'node:path';
import type { KeptRecord } from '../../platform/blob-store.ts';

/** Paths in the data folder of a store on SQLite and disk, and in a backup of one. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'store.sqlite');
export const incomingIn = (dataDir: string): string => join(dataDir, 'incoming');
export const blobsIn = (folder: string): string => join(folder, 'blobs');

/** A record that is stored next to the bundles. */
export const keptRecordIn = (folder: string, name: KeptRecord): string => join(blobsIn(folder), name);

/** Everything except keys that a store keeps in its data folder. */
export const STORE_FILES = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm', 'blobs', 'incoming'];

/**
 * The staging folder of a restore, within the data folder. No store starts while it exists: either a
 * restore is in progress, or it was interrupted.
 */
export const restoringIn = (dataDir: string): string => join(dataDir, 'restoring');
