import { type CatalogEntry, LIMITS, type Publisher } from '@svc/contracts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type BrowseDeps, presentApps } from '../catalog/browse.ts';

export type PublisherPageDeps = Pick<Parts, 'publishers' | 'listings'>;

/** The content of a publisher's page. */
export type PublisherShown = { publisher: Publisher; apps: CatalogEntry[] };

/**
 * Finds a public publisher, with at least one listed app. A suspended publisher has none.
 * @throws ApiError not_found
 */
export async function requirePublicPublisher(
  { publishers, listings }: PublisherPageDeps,
  slug: string,
): Promise<{ publisher: Publisher; appIds: string[] }> {
  const publisher = await publishers.find(slug);
  const appIds = publisher ? await listings.mostInstalledOf(slug, LIMITS.catalog.maxPage) : [];
  if (!publisher || appIds.length === 0)
    throw new ApiError('not_found', `There is no publisher ${slug} with apps in this store.`);
  return { publisher, appIds };
}

/**
 * Loads a publisher with its apps, most installed first.
 * @throws ApiError not_found
 */
export async function loadPublisherPage(
  deps: BrowseDeps & PublisherPageDeps,
  slug: string,
): Promise<PublisherShown> {
  const { publisher, appIds } = await requirePublicPublisher(deps, slug);
  return { publisher, apps: await presentApps(deps, await deps.listings.findAll(appIds)) };
}
