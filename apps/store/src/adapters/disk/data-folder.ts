import { join } from 'node:path';

/** Where things lie in the data folder of a store on SQLite and disk, and in a backup of one. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'store.sqlite');
export const incomingIn = (dataDir: string): string => join(dataDir, 'incoming');
export const blobsIn = (folder: string): string => join(folder, 'blobs');

/** The revocation list that is kept beside the bundles. */
export const keptListIn = (folder: string): string => join(blobsIn(folder), 'revocations');

/** Everything but keys that a store keeps in its data folder. */
export const STORE_FILES = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm', 'blobs', 'incoming'];

/**
 * Where a restore puts together what it restores, within the data folder. No store starts while it is there: either the
 * restore is under way, or it was cut off.
 */
export const restoringIn = (dataDir: string): string => join(dataDir, 'restoring');
