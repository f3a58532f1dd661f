import { iconLookOf, latestOf, type VersionRecord } from '../versions/version-record.ts';
import type { VersionStore } from '../versions/version-store.ts';
import type { Listing } from './listing.ts';
import type { ListingStore } from './listing-store.ts';

type Stores = { versions: VersionStore; listings: ListingStore };

type Published = VersionRecord & { publishedAt: string };

const listingOf = (
  { appId, version, manifest, files, publishedAt }: Published,
  firstPublishedAt: string,
): Listing => ({
  appId,
  version,
  name: manifest.name,
  description: manifest.description,
  categories: manifest.categories ?? [],
  requires: manifest.requires?.apps?.map(({ id }) => id) ?? [],
  iconLook: iconLookOf({ files, manifest }),
  firstPublishedAt,
  updatedAt: publishedAt,
});

/**
 * Updates the listing of an app from its published versions: the latest one is listed, and an app without any is removed. Run it in the
 * transaction that yanks a version, or undoes a yank. It reads all versions of the app.
 */
export async function listInCatalog({ versions, listings }: Stores, appId: string): Promise<void> {
  const published = await versions.publishedNumbers(appId);
  const latest = latestOf(published);
  const record = latest && (await versions.find({ appId, version: latest.version }));
  if (!record) return listings.remove(appId, { keepsLooks: true });
  const times = published.map(({ publishedAt }) => publishedAt).sort();
  const { publishedAt } = latest;
  await listings.put(listingOf({ ...record, publishedAt }, times[0] ?? publishedAt));
}

/**
 * Updates the listing of an app for a version that is being published, in its transaction. It compares only with the listed version, as an
 * app may have thousands.
 */
export async function listPublished(
  { listings }: Pick<Stores, 'listings'>,
  record: Published,
): Promise<void> {
  const listed = await listings.listedVersion(record.appId);
  const latest = latestOf(listed ? [listed, record] : [record]);
  if (latest !== record) return;
  await listings.put(listingOf(record, listed?.firstPublishedAt ?? record.publishedAt));
}

/** Updates the listings of a publisher's apps for its new name. Run it in the transaction that renames the publisher. */
export async function relistPublisher(
  stores: { versions: VersionStore; listings: ListingStore },
  slug: string,
): Promise<void> {
  for (const appId of await stores.listings.ofPublisher(slug)) await listInCatalog(stores, appId);
}
