import { latestOf } from '../publishing/latest.ts';
import type { VersionStore } from '../publishing/version-store.ts';
import type { ListingStore } from './listing-store.ts';

/**
 * Brings an app's place in the catalogue in line with its published versions: the latest is listed, and an app without
 * any is taken out. Run it in the transaction that published or withdrew a version.
 */
export async function listInCatalog(
  { versions, listings }: { versions: VersionStore; listings: ListingStore },
  appId: string,
): Promise<void> {
  const published = await versions.ofApp(appId, 'published');
  const latest = latestOf(published);
  if (!latest) return listings.remove(appId);
  const times = published.flatMap(({ publishedAt }) => publishedAt ?? []).sort();
  const updatedAt = latest.publishedAt ?? latest.submittedAt;
  await listings.put({
    appId,
    version: latest.version,
    name: latest.manifest.name,
    description: latest.manifest.description,
    categories: latest.manifest.categories ?? [],
    firstPublishedAt: times[0] ?? updatedAt,
    updatedAt,
  });
}
