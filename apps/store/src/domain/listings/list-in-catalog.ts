import { latestOf } from '../versions/latest.ts';
import type { VersionRecord, VersionStore } from '../versions/version-store.ts';
import type { ListingStore } from './listing-store.ts';

/**
 * Brings an app's place in the catalogue in line with its published versions: the latest is listed, and an app without
 * any is taken out. Run it in the transaction that published or withdrew a version.
 * @param known a version of it that need not be read again
 */
export async function listInCatalog(
  { versions, listings }: { versions: VersionStore; listings: ListingStore },
  appId: string,
  known?: VersionRecord,
): Promise<void> {
  const published = await versions.publishedNumbers(appId);
  const latest = latestOf(published);
  const record =
    latest &&
    (latest.version === known?.version ? known : await versions.find({ appId, version: latest.version }));
  if (!record) return listings.remove(appId);
  const times = published.map(({ publishedAt }) => publishedAt).sort();
  await listings.put({
    appId,
    version: latest.version,
    name: record.manifest.name,
    description: record.manifest.description,
    categories: record.manifest.categories ?? [],
    firstPublishedAt: times[0] ?? latest.publishedAt,
    updatedAt: latest.publishedAt,
  });
}

/** Lets the apps of a publisher be found by what it is called now. Run it in the transaction that renamed it. */
export async function relistPublisher(
  stores: { versions: VersionStore; listings: ListingStore },
  slug: string,
): Promise<void> {
  for (const appId of await stores.listings.ofPublisher(slug)) await listInCatalog(stores, appId);
}
