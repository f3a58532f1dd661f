import {
  type CorpusApp,
  corpusApps,
  corpusPublishers,
  KNOWN_APPS,
  KNOWN_PUBLISHERS,
  sampleManifest,
} from '@svc/testkit';
import { popularity, weightedRating } from '../../src/core/domain/listings/popularity.ts';
import { toSearchDocument } from '../../src/core/domain/listings/search/search-writer.ts';
import { indexedSpellingsOf } from '../../src/core/domain/listings/search/spelling.ts';

/** Rows of a table, in the order of its columns. */
export type Rows = { table: string; columns: string[]; rows: Iterable<unknown[]> };

const PLACES = 2 ** 32;
const GRADES = 256;
const START = Date.UTC(2024, 0, 1);
const MINUTE = 60_000;
const timeOf = (n: number): string => new Date(START + n * MINUTE).toISOString();

/** The apps of each posting list; the number of a list is its position in the map, from 1. */
type Lists = Map<string, { id: number; places: number[] }>;

function* withNumbers(size: number): Generator<[CorpusApp, number]> {
  let number = 0;
  for (const app of KNOWN_APPS) {
    number += 1;
    yield [app, number];
  }
  for (const app of corpusApps(size - KNOWN_APPS.length)) {
    number += 1;
    yield [app, number];
  }
}

/**
 * A catalogue of a million apps, as if each had been published: the rows of every table, in insertion order. The posting lists stay in
 * memory until all apps have been generated, because databases insert them fastest in that order.
 */
export function* catalogueRows(size: number): Generator<Rows> {
  const publishers = [...KNOWN_PUBLISHERS, ...corpusPublishers(size)];
  const names = new Map(publishers.map((publisher) => [publisher.slug, publisher]));
  const known = () => withNumbers(size);
  yield {
    table: 'publishers',
    columns: ['slug', 'name', 'verified', 'created_at', 'look', 'proof'],
    rows: publishers.map(({ slug, name, verified }) => [slug, name, verified ? 1 : 0, timeOf(0), slug, '']),
  };
  yield {
    table: 'apps',
    columns: ['app_id', 'publisher', 'created_at'],
    rows: map(known(), ([app, n]) => [app.appId, app.publisher, timeOf(n)]),
  };
  yield {
    table: 'versions',
    columns: [
      'app_id',
      'version',
      'publisher',
      'state',
      'sha256',
      'size',
      'manifest_json',
      'readme',
      'changelog',
      'files_json',
      'issues_json',
      'submitted_at',
      'submitted_by',
      'published_at',
      'signature',
      'key_id',
      'name',
    ],
    rows: map(known(), ([app, n]) => versionRow(app, n)),
  };
  const lists: Lists = new Map();
  const main = new Set<string>();
  yield {
    table: 'listings',
    columns: LISTING,
    rows: map(known(), ([app, n]) =>
      listingRow(app, n, names.get(app.publisher) ?? { slug: '', name: '' }, lists, main),
    ),
  };
  yield {
    table: 'listing_categories',
    columns: ['app_id', 'category', 'updated_at'],
    rows: flatMap(known(), ([app, n]) => app.categories.map((category) => [app.appId, category, timeOf(n)])),
  };
  yield {
    table: 'search_lists',
    columns: ['id', 'key', 'apps'],
    rows: map(lists, ([key, { id, places }]) => [id, key, places.length]),
  };
  yield {
    table: 'search_postings',
    columns: ['list_id', 'place'],
    rows: flatMap(lists.values(), ({ id, places }) =>
      places.sort((a, b) => a - b).map((place) => [id, place]),
    ),
  };
  const shared = map(lists, ([key, { places }]) =>
    key.startsWith('word:') && places.length > 1 ? key.slice(5) : '',
  );
  const trusted = new Set([...main, ...shared].filter((word) => word !== ''));
  yield {
    table: 'search_spellings',
    columns: ['spelling', 'word'],
    rows: flatMap(trusted, (word) => Array.from(indexedSpellingsOf(word), (spelling) => [spelling, word])),
  };
}

function* map<A, B>(items: Iterable<A>, to: (item: A) => B): Generator<B> {
  for (const item of items) yield to(item);
}

function* flatMap<A, B>(items: Iterable<A>, to: (item: A) => B[]): Generator<B> {
  for (const item of items) yield* to(item);
}

function versionRow(app: CorpusApp, n: number): unknown[] {
  const { appId, name, description, categories, publisher } = app;
  const manifest = { ...sampleManifest(), id: appId, name, description, categories, publisher };
  const at = timeOf(n);
  const hash = n.toString(16).padStart(64, '0');
  return [
    appId,
    '1.0.0',
    publisher,
    'published',
    hash,
    1,
    JSON.stringify(manifest),
    '',
    '',
    JSON.stringify([{ path: manifest.branding.icon, sha256: hash, type: 'image/png', size: 1 }]),
    '[]',
    at,
    'bench',
    at,
    `${'A'.repeat(86)}==`,
    'key-00000000',
    name,
  ];
}

const LISTING = [
  'app_id',
  'publisher',
  'version',
  'name',
  'name_key',
  'first_published_at',
  'updated_at',
  'installs',
  'rating_average',
  'rating_count',
  'rating_weighted',
  'number',
  'place',
  'name_words',
  'publisher_words',
  'lists_json',
];

function listingRow(
  app: CorpusApp,
  n: number,
  publisher: { slug: string; name: string },
  lists: Lists,
  main: Set<string>,
): unknown[] {
  const place = Math.min(Math.floor(popularity(app) * GRADES), GRADES - 1) * PLACES + n;
  const { keys, nameWords, publisherWords, mainWords } = toSearchDocument(app, publisher);
  for (const word of mainWords) main.add(word);
  const ids: number[] = [];
  for (const key of keys) {
    const list = lists.get(key) ?? { id: lists.size + 1, places: [] };
    lists.set(key, list);
    list.places.push(place);
    ids.push(list.id);
  }
  const at = timeOf(n);
  const { installs, rating } = app;
  return [
    app.appId,
    app.publisher,
    '1.0.0',
    app.name,
    app.name.toLowerCase(),
    at,
    at,
    installs,
    rating.average,
    rating.count,
    weightedRating(rating),
    n,
    place,
    nameWords.join(' '),
    publisherWords.join(' '),
    JSON.stringify(ids),
  ];
}
