import { type CatalogEntry, LIMITS, type Publisher } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { PublisherWithStatus } from '../domain/identity/publisher-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type BrowseDeps, presentApps } from './browse.ts';
import { publisherTombstone, type TombstoneDeps } from './tombstone.ts';

export type PublicPublisherDeps = Pick<Parts, 'publishers' | 'listings'> & TombstoneDeps;

/** A publisher with its listed apps. */
export type PublicPublisher = {
  publisher: Publisher;
  apps: CatalogEntry[];
  /** When its website last had the proof; null without one, and when the last check did not find it. */
  provenAt: string | null;
};

/**
 * Finds a public publisher, with at least one listed app. A suspended publisher has none.
 * @throws ApiError not_found, stopped
 */
export async function requirePublicPublisher(
  deps: PublicPublisherDeps,
  slug: string,
): Promise<PublisherWithStatus & { appIds: string[] }> {
  const found = await deps.publishers.findWithStatus(slug);
  const appIds = found ? await deps.listings.mostInstalledOf(slug, LIMITS.catalog.maxPage) : [];
  if (!found || appIds.length === 0)
    throw (
      (await publisherTombstone(deps, slug)) ??
      new ApiError('not_found', `There is no publisher ${slug} with apps in this store.`)
    );
  return { ...found, appIds };
}

/**
 * Reads a publisher with its apps, most installed first.
 * @throws ApiError not_found
 */
export async function readPublicPublisher(
  deps: BrowseDeps & PublicPublisherDeps,
  slug: string,
): Promise<PublicPublisher> {
  const { publisher, status, appIds } = await requirePublicPublisher(deps, slug);
  const apps = await presentApps(deps, await deps.listings.findAll(appIds));
  const isProven = status.verifiedBy === 'website' && status.missingSince === null;
  return { publisher, apps, provenAt: isProven ? status.checkedAt : null };
}
