import type { ListingQuery, Position, Sort } from '../../../domain/listings/listing.ts';
import { weightedRating } from '../../../domain/listings/popularity.ts';
import type { SearchHit } from './search.ts';

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
