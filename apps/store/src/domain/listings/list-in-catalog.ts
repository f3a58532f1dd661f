import { latestOf } from '../versions/latest.ts';
import type { VersionRecord, VersionStore } from '../versions/version-store.ts';
import type { Listing } from './listing.ts';
import type { ListingStore } from './listing-store.ts';

type Stores = { versions: VersionStore; listings: ListingStore };

/** A version that is published. */
type Published = VersionRecord & { publishedAt: string };

const listingOf = (
  { appId, version, manifest, publishedAt }: Published,
  firstPublishedAt: string,
): Listing => ({
  appId,
  version,
  name: manifest.name,
  description: manifest.description,
  categories: manifest.categories ?? [],
  firstPublishedAt,
  updatedAt: publishedAt,
});

/**
 * Brings an app's place in the catalogue in line with its published versions: the latest is listed, and an app without
 * any is taken out. Run it in the transaction that withdrew a version, or let one back. It reads all of them.
 */
export async function listInCatalog({ versions, listings }: Stores, appId: string): Promise<void> {
  const published = await versions.publishedNumbers(appId);
  const latest = latestOf(published);
  const record = latest && (await versions.find({ appId, version: latest.version }));
  if (!record) return listings.remove(appId);
  const times = published.map(({ publishedAt }) => publishedAt).sort();
  const { publishedAt } = latest;
  await listings.put(listingOf({ ...record, publishedAt }, times[0] ?? publishedAt));
}

/**
 * The same for a version that was just published, in its transaction. What is listed stands for all that was published before: an
 * app may have thousands of versions.
 */
export async function listPublished(
  { listings }: Pick<Stores, 'listings'>,
  record: Published,
): Promise<void> {
  const listed = await listings.standing(record.appId);
  const latest = latestOf(listed ? [listed, record] : [record]);
  if (latest !== record) return;
  await listings.put(listingOf(record, listed?.firstPublishedAt ?? record.publishedAt));
}

/** Lets the apps of a publisher be found by what it is called now. Run it in the transaction that renamed it. */
export async function relistPublisher(
  stores: { versions: VersionStore; listings: ListingStore },
  slug: string,
): Promise<void> {
  for (const appId of await stores.listings.ofPublisher(slug)) await listInCatalog(stores, appId);
}
