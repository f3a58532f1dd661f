import { type AppDetail, type CatalogPage, type CatalogQuery, LIMITS } from '@svc/contracts';
import { z } from 'zod';
import { readCursor, writeCursor } from '../platform/cursor.ts';
import { Refusal } from '../platform/refusal.ts';
import type { VersionStore } from '../publishing/version-store.ts';
import type { EntryCache } from './entry-cache.ts';
import type { ListingStore, Position, Sort } from './listing-store.ts';
import { type Addresses, factsOfVersion, presentDetail, presentEntry } from './present.ts';

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

const wordsOf = (q: string | undefined): string[] => (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);

/**
 * One page of the catalogue.
 * @throws Refusal invalid_request for a cursor of another query
 */
export async function browseCatalog(
  deps: { listings: ListingStore; versions: VersionStore; entries: EntryCache; addresses: Addresses },
  query: CatalogQuery,
): Promise<CatalogPage> {
  const words = wordsOf(query.q);
  const sort: Sort = query.sort ?? (words.length > 0 ? 'relevance' : 'installs');
  const { apps, total, end } = await deps.listings.page({
    words,
    category: query.category ?? null,
    sort,
    limit: query.limit ?? LIMITS.catalog.defaultPage,
    after: query.cursor === undefined ? null : readPosition(sort, query.cursor),
  });
  const facts = await deps.entries.get(apps, async (missing) =>
    (await deps.versions.findAll(missing)).map((record) => factsOfVersion(record, deps.addresses)),
  );
  const byApp = new Map(facts.map((said) => [said.appId, said]));
  return {
    apps: apps.flatMap((app) => {
      const said = byApp.get(app.appId);
      return said ? [presentEntry(app, said)] : [];
    }),
    nextCursor: end && writeCursor([sort, end.key, end.appId]),
    total,
  };
}

/**
 * All the public may know of an app.
 * @throws Refusal not_found
 */
export async function appDetail(
  deps: { listings: ListingStore; versions: VersionStore; addresses: Addresses },
  appId: string,
): Promise<AppDetail> {
  const app = await deps.listings.find(appId);
  const published = app ? await deps.versions.published(appId) : [];
  const latest = published.find(({ version }) => version === app?.version);
  if (!app || !latest) throw new Refusal('not_found', `There is no published app ${appId}.`);
  return presentDetail(app, latest, published, deps.addresses);
}
