import {
  type AppDetail,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  LIMITS,
} from '@svc/contracts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Gate } from '../../platform/gate.ts';
import { readCursor, writeCursor } from '../../platform/page-of.ts';
import type { ListedApp, ListingQuery, Position, Sort } from '../domain/listings/listing.ts';
import { weightedRating } from '../domain/listings/popularity.ts';
import {
  factsOfVersion,
  permissionsOfVersion,
  presentDetail,
  presentEntry,
  type VersionFacts,
  type VersionPermissions,
} from '../domain/listings/present.ts';
import type { Parts } from '../domain/parts/parts.ts';
import {
  byVersionDescending,
  type PublishedRecord,
  type VersionRef,
} from '../domain/versions/version-record.ts';
import { type SearchHit, search } from './search/search.ts';
import { type TombstoneDeps, unlisted } from './tombstone.ts';

/** Versions loaded in one query: each may have a manifest of 256 KiB. */
const BATCH = 200;

const keyOf = ({ appId, version }: VersionRef): string => `${appId}\n${version}`;

/**
 * Caches facts of published versions. A published version never changes, so a page that is rebuilt after each publication need
 * not read and parse all manifests again.
 * @param max the most versions in the cache
 */
export function createVersionCache<Facts extends VersionRef>(max: number) {
  // `maxSize` instead of `max`: `max` allocates memory for all entries in advance.
  const cache = new LRUCache<string, Facts>({ maxSize: max, sizeCalculation: () => 1 });

  return {
    /**
     * The facts of some versions, in the given order.
     * @param load loads those that are not cached, in batches; versions that it does not return are left out
     */
    async get(
      refs: readonly VersionRef[],
      load: (missing: VersionRef[]) => Promise<Facts[]>,
    ): Promise<Facts[]> {
      const cached = refs.map((ref) => cache.get(keyOf(ref)));
      const missing = refs.filter((_ref, n) => cached[n] === undefined);
      const fresh = new Map<string, Facts>();
      for (let from = 0; from < missing.length; from += BATCH) {
        for (const facts of await load(missing.slice(from, from + BATCH))) {
          fresh.set(keyOf(facts), facts);
          cache.set(keyOf(facts), facts);
        }
      }
      return refs.flatMap((ref, n) => cached[n] ?? fresh.get(keyOf(ref)) ?? []);
    },
  };
}

export type VersionCache<Facts extends VersionRef> = ReturnType<typeof createVersionCache<Facts>>;

type Order = { keyOf(app: SearchHit): string | number; direction: 1 | -1 };

const ORDERS: Readonly<Record<Sort, Order>> = {
  relevance: { keyOf: ({ score }) => score, direction: -1 },
  installs: { keyOf: ({ installs }) => installs, direction: -1 },
  rating: { keyOf: ({ rating }) => weightedRating(rating), direction: -1 },
  updated: { keyOf: ({ updatedAt }) => updatedAt, direction: -1 },
  new: { keyOf: ({ firstPublishedAt }) => firstPublishedAt, direction: -1 },
  name: { keyOf: ({ nameKey }) => nameKey, direction: 1 },
};

/** Compares texts by their bytes, as the database does. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareKeys = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b));

/**
 * Cuts one page out of the hits of a search.
 * @returns the ids, the number of apps on all pages, and the position of the page's end when more pages follow
 */
export function pageOf(
  hits: readonly SearchHit[],
  { sort, limit, after, updatedSince }: Omit<ListingQuery, 'sort'> & { sort: Sort },
): { appIds: string[]; total: number; end: Position | null } {
  const { keyOf, direction } = ORDERS[sort];
  const compare = (a: Position, b: Position): number =>
    direction * compareKeys(a.key, b.key) || compareTexts(a.appId, b.appId);
  const all = hits
    .filter(({ updatedAt }) => updatedSince === null || updatedAt >= updatedSince)
    .map((app) => ({ key: keyOf(app), appId: app.appId }));
  const rest = all.filter((app) => after === null || compare(app, after) > 0).sort(compare);
  const page = rest.slice(0, limit);
  return {
    appIds: page.map(({ appId }) => appId),
    total: all.length,
    end: rest.length > limit ? (page.at(-1) ?? null) : null,
  };
}

/** The sorts whose key is a number. Databases differ in how they compare text with numbers. */
const NUMERIC: ReadonlySet<Sort> = new Set(['relevance', 'installs', 'rating']);

/** A cursor includes its sort: to continue in another order would skip or repeat apps. */
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
 * Limits of searches whose page is not cached. A few run at the same time, which leaves database connections to other requests;
 * the others wait some tenths of a second at most, and beyond that are answered with `unavailable`.
 */
export const SEARCH_BOUNDS = { active: 4, waiting: 64, retrySeconds: 1 };

export type BrowseDeps = Pick<Parts, 'listings' | 'searchIndex' | 'versions' | 'addresses'> & {
  /** Limits concurrent searches. */ searchGate: Gate;
  entries: VersionCache<VersionFacts>;
};

type Page = { apps: ListedApp[]; total: number; end: Position | null };

/** Without a search term there is no relevance: the most installed apps come first. */
function sortOf(query: CatalogQuery, isSearch: boolean): Sort {
  const sort = query.sort ?? (isSearch ? 'relevance' : 'installs');
  return sort === 'relevance' && !isSearch ? 'installs' : sort;
}

/** Times are stored in UTC with milliseconds, and compared as text. */
const inUtc = (time: string | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();

async function findPage(deps: BrowseDeps, query: CatalogQuery, sort: Sort): Promise<Page> {
  const criteria = {
    category: query.category ?? null,
    updatedSince: inUtc(query.updatedSince),
    limit: query.limit ?? LIMITS.catalog.defaultPage,
    after: query.cursor === undefined ? null : readPosition(sort, query.cursor),
  };
  const { q = '' } = query;
  if (q.trim() === '')
    return deps.listings.page({ ...criteria, sort: sort === 'relevance' ? 'installs' : sort });
  const hits = await deps.searchGate(() => search(deps.searchIndex, q, criteria.category));
  const { appIds, ...page } = pageOf(hits, { ...criteria, sort });
  return { ...page, apps: await deps.listings.findAll(appIds) };
}

/** Presents listed apps as catalogue entries, in the given order. */
export async function presentApps(
  { entries, versions, addresses }: Pick<BrowseDeps, 'entries' | 'versions' | 'addresses'>,
  apps: readonly ListedApp[],
): Promise<CatalogEntry[]> {
  const facts = await entries.get(apps, async (missing) =>
    (await versions.findAll(missing)).map((record) => factsOfVersion(record, addresses)),
  );
  const byApp = new Map(facts.map((ofVersion) => [ofVersion.appId, ofVersion]));
  return apps.flatMap((app) => {
    const ofVersion = byApp.get(app.appId);
    return ofVersion ? [presentEntry(app, ofVersion)] : [];
  });
}

/** The entries of some apps in this order. Apps that are not listed (suspended, yanked or retracted) are left out. */
export async function entriesOf(deps: BrowseDeps, appIds: readonly string[]): Promise<CatalogEntry[]> {
  return presentApps(deps, await deps.listings.findAll(appIds));
}

/**
 * Finds one page of the catalogue, without the facts of its versions.
 * @throws ApiError invalid_request for a cursor of another query; unavailable when too many searches run
 */
export async function findListed(
  deps: BrowseDeps,
  query: CatalogQuery,
): Promise<Omit<Page, 'end'> & { nextCursor: string | null }> {
  const sort = sortOf(query, (query.q ?? '').trim() !== '');
  const { end, ...page } = await findPage(deps, query, sort);
  return { ...page, nextCursor: end && writeCursor([sort, end.key, end.appId]) };
}

/**
 * Reads one page of the catalogue.
 * @throws ApiError as `findListed`
 */
export async function browseCatalog(deps: BrowseDeps, query: CatalogQuery): Promise<CatalogPage> {
  const { apps, nextCursor, total } = await findListed(deps, query);
  return { apps: await presentApps(deps, apps), nextCursor, total };
}

/** The published versions of an app, newest first: all, or one part of them. */
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

/** A part of the versions of an app: how many newer ones are skipped, and how many follow. */
type Part = { from: number; count: number };

/**
 * The public details of an app.
 * @param part which of its versions; all by default
 * @throws ApiError not_found, stopped
 */
export async function appDetail(
  deps: Pick<BrowseDeps, 'listings' | 'versions' | 'addresses'> &
    TombstoneDeps &
    Pick<Parts, 'lives' | 'serverOf'> & { permissions: VersionCache<VersionPermissions> },
  appId: string,
  part: Part | null = null,
): Promise<AppDetail> {
  const app = await deps.listings.find(appId);
  const latest = app && (await deps.versions.find({ appId, version: app.version }));
  if (!app || latest?.state !== 'published') throw await unlisted(deps, appId);
  const published = await publishedOf(deps, appId, part);
  const permissions = await deps.permissions.get(published, async (missing) =>
    (await deps.versions.findAll(missing)).map(permissionsOfVersion),
  );
  const [server, life] = await Promise.all([deps.serverOf(latest), deps.lives.find(appId)]);
  const { deprecation = null } = life ?? {};
  return presentDetail(app, latest, { published, permissions, server, deprecation }, deps.addresses);
}
