import { byCodeUnit, type CatalogEntry, type CatalogPage, LIMITS } from '@svc/contracts';

/** Characters and words of a search that count, as at the store. */
const [MAX_QUERY, MAX_WORDS] = [200, 8];

/** The best matches of a search at most, as at the store. */
const MAX_MATCHES = 500;

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** How well a text answers a word: as a word of it, as the beginning of one, or not at all. */
function matchOf(words: readonly string[], word: string): number {
  if (words.includes(word)) return 2;
  return words.some((one) => one.startsWith(word)) ? 1 : 0;
}

/** How well an app answers all words; 0 when one of them is nowhere in it. */
function relevanceOf(
  { appId, name, tagline, description, publisher }: CatalogEntry,
  words: readonly string[],
): number {
  const places: [string[], number][] = [
    [wordsOf(name), 8],
    [wordsOf(publisher.name), 4],
    [wordsOf(appId), 3],
    [wordsOf(tagline), 2],
    [wordsOf(description), 1],
  ];
  let total = 0;
  for (const word of words) {
    const best = Math.max(...places.map(([of, weight]) => weight * matchOf(of, word)));
    if (best === 0) return 0;
    total += best;
  }
  return total;
}

type Order = (a: CatalogEntry, b: CatalogEntry) => number;

const byId: Order = (a, b) => byCodeUnit(a.appId, b.appId);

/** A rating with as many votes of 3 as make one of few ratings weigh less. */
const weighted = ({ rating: { average, count } }: CatalogEntry): number =>
  (average * count + 3 * 5) / (count + 5);

const ORDERS: Readonly<Record<string, Order>> = {
  installs: (a, b) => b.installs - a.installs,
  updated: (a, b) => byCodeUnit(b.publishedAt, a.publishedAt),
  // An entry does not say when its app was published first.
  new: (a, b) => byCodeUnit(b.publishedAt, a.publishedAt),
  rating: (a, b) => weighted(b) - weighted(a),
  name: (a, b) => byCodeUnit(folded(a.name), folded(b.name)),
};

/** The place in the list that a cursor names; null for one of the store. */
function placeOf(cursor: string | null): number | null {
  if (cursor === null) return 0;
  const [, place] = /^mirror-(\d{1,6})$/.exec(cursor) ?? [];
  return place === undefined ? null : Number(place);
}

/**
 * A page of the catalogue, from all entries of it. Its ranking is a simple one: the words of the query, where they are.
 * @returns null for a query that only the store answers
 */
export function catalogPage(entries: readonly CatalogEntry[], query: URLSearchParams): CatalogPage | null {
  // What administrators feature is not in an entry.
  if (query.has('featured')) return null;
  const start = placeOf(query.get('cursor'));
  const words = wordsOf((query.get('q') ?? '').slice(0, MAX_QUERY)).slice(0, MAX_WORDS);
  const sort = query.get('sort') ?? (words.length > 0 ? 'relevance' : 'installs');
  const order = ORDERS[sort];
  if (start === null || (!order && sort !== 'relevance')) return null;
  const [category, since] = [query.get('category'), query.get('updatedSince')];
  const relevance = new Map(
    entries
      .filter(({ categories }) => category === null || categories.some((one) => one === category))
      .filter(({ publishedAt }) => since === null || publishedAt >= since)
      .map((entry) => [entry, words.length === 0 ? 1 : relevanceOf(entry, words)] as const)
      .filter(([, value]) => value > 0),
  );
  const best: Order = (a, b) => (relevance.get(b) ?? 0) - (relevance.get(a) ?? 0) || b.installs - a.installs;
  const sorted = [...relevance.keys()].sort((a, b) => (order ?? best)(a, b) || byId(a, b));
  const found = words.length > 0 ? sorted.slice(0, MAX_MATCHES) : sorted;
  const limit = Math.min(Number(query.get('limit')) || 100, LIMITS.catalog.maxPage);
  const end = start + limit;
  return {
    apps: found.slice(start, end),
    nextCursor: end < found.length ? `mirror-${end}` : null,
    total: found.length,
  };
}
