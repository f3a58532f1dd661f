import type { ListingStore } from '../../catalog/listing-store.ts';
import type { UnitOfWork } from '../../platform/ambient.ts';
import type { PublisherStore } from '../../publishers/publisher-store.ts';
import type { AppStore, VersionStore } from '../../publishing/version-store.ts';
import type { TokenStore } from '../../tokens/token-store.ts';
import { createAppStore } from './app-store.ts';
import { createListingStore } from './listing-store.ts';
import { createPublisherStore } from './publisher-store.ts';
import type { Database } from './schema.ts';
import { createTokenStore } from './token-store.ts';
import { createVersionStore } from './version-store.ts';

/** Every store of the domain. */
export type Stores = {
  publishers: PublisherStore;
  tokens: TokenStore;
  apps: AppStore;
  versions: VersionStore;
  listings: ListingStore;
};

/** Every store over one database, or over one transaction of it. */
export const createStores = (db: Database): Stores => ({
  publishers: createPublisherStore(db),
  tokens: createTokenStore(db),
  apps: createAppStore(db),
  versions: createVersionStore(db),
  listings: createListingStore(db),
});

/** Runs work in a transaction: all of it is kept, or none. */
export const createUnitOfWork =
  (db: Database): UnitOfWork<Stores> =>
  (work) =>
    db.transaction().execute((tx) => work(createStores(tx)));

/** The hashes of all bytes that a version speaks of. */
export async function knownHashes(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('versions').select(['sha256', 'files_json']).execute();
  return new Set(
    rows.flatMap((row) => [
      row.sha256,
      ...JSON.parse(row.files_json).map((file: { sha256: string }) => file.sha256),
    ]),
  );
}
