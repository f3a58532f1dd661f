import { type CatalogEntry, LIMITS, type Publisher } from '@svc/contracts';
import { type BrowseDeps, presentApps } from '../catalog/browse.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import { ApiError } from '../platform/api-error.ts';

export type LookAtPublisherDeps = {
  publishers: Pick<PublisherStore, 'find'>;
  listings: Pick<ListingStore, 'mostInstalledOf'>;
};

/** What the page of a publisher shows. */
export type PublisherShown = { publisher: Publisher; apps: CatalogEntry[] };

/**
 * A publisher that the public may know of: one whose apps are listed. One that is suspended has none.
 * @throws ApiError not_found
 */
export async function requirePublicPublisher(
  { publishers, listings }: LookAtPublisherDeps,
  slug: string,
): Promise<{ publisher: Publisher; appIds: string[] }> {
  const publisher = await publishers.find(slug);
  const appIds = publisher ? await listings.mostInstalledOf(slug, LIMITS.catalog.maxPage) : [];
  if (!publisher || appIds.length === 0)
    throw new ApiError('not_found', `There is no publisher ${slug} with apps in this store.`);
  return { publisher, appIds };
}

/**
 * A publisher with its apps, most installed first.
 * @throws ApiError not_found
 */
export async function loadPublisherPage(
  deps: BrowseDeps & LookAtPublisherDeps,
  slug: string,
): Promise<PublisherShown> {
  const { publisher, appIds } = await requirePublicPublisher(deps, slug);
  return { publisher, apps: await presentApps(deps, await deps.listings.findAll(appIds)) };
}
