import {
  type AppDetail,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  LIMITS,
} from '@svc/contracts';
import { z } from 'zod';
import type { FeaturedStore } from '../domain/listings/featured-store.ts';
import type { ListedApp, Position, Sort } from '../domain/listings/listing.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import {
  type Addresses,
  factsOfVersion,
  presentDetail,
  presentEntry,
  reachOfVersion,
  type VersionFacts,
  type VersionReach,
} from '../domain/listings/present.ts';
import type { SearchIndex } from '../domain/listings/search/search-index.ts';
import { byVersionDescending } from '../domain/versions/latest.ts';
import type { PublishedRecord, VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';
import type { Gate } from '../platform/gate.ts';
import { pageOf } from './search/page-of.ts';
import { search } from './search/search.ts';
import type { VersionCache } from './version-cache.ts';

/** The sorts whose key is a number. A database does not compare text with numbers, or does it in its own way. */
const NUMERIC: ReadonlySet<Sort> = new Set(['relevance', 'installs', 'rating']);

/** A cursor names its sort too: going on in another order would skip or repeat apps. */
const cursorOf = (sort: Sort) =>
  z.tuple([z.literal(sort), NUMERIC.has(sort) ? z.number() : z.string(), z.string()]);

const OF_ANOTHER_QUERY = {
  message: 'This cursor does not belong to this query: start again without it.',
  advice: 'Use nextCursor of the same query.',
};

function readPosition(sort: Sort, cursor: string): Position {
  const [, key, appId] = readCursor(cursorOf(sort), cursor, OF_ANOTHER_QUERY);
  return { key, appId };
}

/**
 * Searches that nobody has made before. A few run at once, and leave connections to the database for other requests; the others wait for
 * some tenths of a second at most, and beyond that are told to come back: health, moderation and pages that are held never wait.
 */
export const SEARCH_BOUNDS = { active: 4, waiting: 64, retrySeconds: 1 };

export type BrowseDeps = {
  listings: ListingStore;
  searchIndex: SearchIndex;
  /** Lets searches in. */
  searchGate: Gate;
  versions: VersionStore;
  entries: VersionCache<VersionFacts>;
  addresses: Addresses;
};

type Page = { apps: ListedApp[]; total: number; end: Position | null };

/** Without anything to look for there is no relevance, and what most people use comes first. */
function sortOf(query: CatalogQuery, isSearch: boolean): Sort {
  const sort = query.sort ?? (isSearch ? 'relevance' : 'installs');
  return sort === 'relevance' && !isSearch ? 'installs' : sort;
}

/** Times are kept in UTC with milliseconds, and compared as text. */
const inUtc = (time: string | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();

async function findPage(deps: BrowseDeps, query: CatalogQuery, sort: Sort): Promise<Page> {
  const wanted = {
    category: query.category ?? null,
    updatedSince: inUtc(query.updatedSince),
    limit: query.limit ?? LIMITS.catalog.defaultPage,
    after: query.cursor === undefined ? null : readPosition(sort, query.cursor),
  };
  const { q = '' } = query;
  if (q.trim() === '')
    return deps.listings.page({ ...wanted, sort: sort === 'relevance' ? 'installs' : sort });
  const found = await deps.searchGate(() => search(deps.searchIndex, q, wanted.category));
  const { appIds, ...page } = pageOf(found, { ...wanted, sort });
  return { ...page, apps: await deps.listings.findAll(appIds) };
}

/** Listed apps as entries, in their order. */
export async function presentApps(
  { entries, versions, addresses }: Pick<BrowseDeps, 'entries' | 'versions' | 'addresses'>,
  apps: readonly ListedApp[],
): Promise<CatalogEntry[]> {
  const facts = await entries.get(apps, async (missing) =>
    (await versions.findAll(missing)).map((record) => factsOfVersion(record, addresses)),
  );
  const byApp = new Map(facts.map((said) => [said.appId, said]));
  return apps.flatMap((app) => {
    const said = byApp.get(app.appId);
    return said ? [presentEntry(app, said)] : [];
  });
}

/** The apps of the featured row: what is suspended, yanked or retracted is not listed, and not among them. */
export async function featuredApps(
  deps: BrowseDeps & { featured: Pick<FeaturedStore, 'ids'> },
): Promise<CatalogEntry[]> {
  return presentApps(deps, await deps.listings.findAll(await deps.featured.ids()));
}

/**
 * One page of the catalogue.
 * @throws ApiError invalid_request for a cursor of another query; unavailable when too many search
 */
export async function browseCatalog(deps: BrowseDeps, query: CatalogQuery): Promise<CatalogPage> {
  const sort = sortOf(query, (query.q ?? '').trim() !== '');
  const { apps, total, end } = await findPage(deps, query, sort);
  return {
    apps: await presentApps(deps, apps),
    nextCursor: end && writeCursor([sort, end.key, end.appId]),
    total,
  };
}

/** The published versions of an app, newest first: all, or some from one on. */
async function publishedOf(
  { versions }: Pick<BrowseDeps, 'versions'>,
  appId: string,
  part: Part | null,
): Promise<PublishedRecord[]> {
  if (!part) return (await versions.published(appId)).sort(byVersionDescending);
  const numbers = (await versions.publishedNumbers(appId)).sort(byVersionDescending);
  const refs = numbers.slice(part.from, part.from + part.count).map(({ version }) => ({ appId, version }));
  return (await versions.findAll(refs)).sort(byVersionDescending);
}

/** Some of the versions of an app: how many newer ones are passed over, and how many follow. */
type Part = { from: number; count: number };

/**
 * All the public may know of an app.
 * @param part which of its versions; all when it is left out
 * @throws ApiError not_found
 */
export async function appDetail(
  deps: Pick<BrowseDeps, 'listings' | 'versions' | 'addresses'> & { reaches: VersionCache<VersionReach> },
  appId: string,
  part: Part | null = null,
): Promise<AppDetail> {
  const app = await deps.listings.find(appId);
  const latest = app && (await deps.versions.find({ appId, version: app.version }));
  if (!app || latest?.state !== 'published')
    throw new ApiError('not_found', `There is no published app ${appId}.`);
  const published = await publishedOf(deps, appId, part);
  const reaches = await deps.reaches.get(published, async (missing) =>
    (await deps.versions.findAll(missing)).map(reachOfVersion),
  );
  return presentDetail(app, latest, { published, reaches }, deps.addresses);
}
