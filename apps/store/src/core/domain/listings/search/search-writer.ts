import type { PublisherSummary } from '@svc/contracts';
import { sql } from 'kysely';
import type { Database } from '../../../../platform/database/schema.ts';
import type { Listing } from '../listing.ts';
import { type AppStats, popularity, weightedRating } from '../popularity.ts';
import { categoryKey, MAX_START, NAME, START, WORD } from './search-index.ts';
import { indexedSpellingsOf } from './spelling.ts';
import { indexedWordsOf, joinsOf, wordsOf } from './words.ts';

const startsOf = (word: string): string[] => {
  const letters = [...word];
  return letters.slice(0, MAX_START).map((_, n) => letters.slice(0, n + 1).join(''));
};

/** The distinctive part of an id: its first part is a top-level domain that half of all ids have. */
const distinctivePart = (appId: string): string => appId.split('.').slice(1).join(' ');

/**
 * Creates the search document of an app.
 * @returns the keys of its lists; the words of its name and its publisher, for ranking; and its main words, which are also found when
 *   they are misspelt
 */
export function toSearchDocument(
  { appId, name, description, categories }: Pick<Listing, 'appId' | 'name' | 'description' | 'categories'>,
  publisher: Pick<PublisherSummary, 'slug' | 'name'>,
) {
  const inName = indexedWordsOf(name);
  const inPublisher = indexedWordsOf(`${publisher.name} ${publisher.slug}`);
  const mainWords = inName.union(inPublisher);
  const words = mainWords.union(indexedWordsOf(description)).union(indexedWordsOf(distinctivePart(appId)));
  const nameWords = wordsOf(name);
  const joins = joinsOf(nameWords);
  const keyed = (kind: string, of: Iterable<string>) => Array.from(of, (word) => kind + word);
  const keys = new Set([
    ...keyed(NAME, [...inName, ...joins]),
    ...keyed(START, [...inName].flatMap(startsOf)),
    ...keyed(WORD, [...words, ...joins]),
    ...categories.map(categoryKey),
  ]);
  return {
    keys,
    nameWords,
    publisherWords: wordsOf(`${publisher.name} ${publisher.slug}`),
    mainWords,
  };
}

/**
 * The place of an app in all of its lists: its popularity in 256 grades, which seldom change, and then a unique number. It is one integer
 * below 2^53, so that a list can be read from its best app on, and searched for any app.
 */
const GRADES = 256;
const NUMBERS = 2 ** 32;

const placeOf = (number: number, appStats: AppStats): number =>
  Math.min(Math.floor(popularity(appStats) * GRADES), GRADES - 1) * NUMBERS + number;

/** Rows of one statement: each has two parameters, and PostgreSQL allows 65,535, SQLite 32,766. */
const ROWS_AT_ONCE = 5_000;

const LISTS_AT_ONCE = 500;

/** A word of this many apps is a candidate for a misspelt one. */
const APPS_TO_TRUST = 2;

/** The searchable fields of a listing, and its publisher. */
type Described = Pick<Listing, 'appId' | 'name' | 'description' | 'categories'> & {
  publisher: { slug: string; name: string };
};

type Row = { number: number | null; place: number | null; lists_json: string } & Partial<
  Record<'installs' | 'rating_average' | 'rating_count', number>
>;

const appStatsOf = ({ installs = 0, rating_average = 0, rating_count = 0 }: Row): AppStats => ({
  installs,
  rating: { average: rating_average, count: rating_count },
});

const rowOf = (db: Database, appId: string) =>
  db
    .selectFrom('listings')
    .select(['number', 'place', 'lists_json', 'installs', 'rating_average', 'rating_count'])
    .where('app_id', '=', appId)
    .executeTakeFirst();

const listsOf = ({ lists_json }: Row): number[] => JSON.parse(lists_json);

/** The ids of lists, which are created when they do not exist. */
async function listIds(db: Database, keys: readonly string[]): Promise<number[]> {
  const known = await db.selectFrom('search_lists').select(['id', 'key']).where('key', 'in', keys).execute();
  const knownKeys = new Set(known.map(({ key }) => key));
  const missing = keys.filter((key) => !knownKeys.has(key)).map((key) => ({ key, apps: 0 }));
  if (missing.length === 0) return known.map(({ id }) => id);
  const created = await db.insertInto('search_lists').values(missing).returning('id').execute();
  return [...known, ...created].map(({ id }) => id);
}

async function removePostings(db: Database, lists: readonly number[], place: number): Promise<void> {
  if (lists.length === 0) return;
  await db.deleteFrom('search_postings').where('place', '=', place).where('list_id', 'in', lists).execute();
  await db.updateTable('search_lists').set({ apps: sql`apps - 1` }).where('id', 'in', lists).execute();
}

async function insertPostings(db: Database, lists: readonly number[], place: number): Promise<void> {
  if (lists.length === 0) return;
  await db
    .insertInto('search_postings')
    .values(lists.map((list_id) => ({ list_id, place })))
    .execute();
}

/** Increments the number of apps of some lists. @returns the lists with their new numbers */
async function incrementCounts(
  db: Database,
  lists: readonly number[],
): Promise<{ key: string; apps: number }[]> {
  if (lists.length === 0) return [];
  return db
    .updateTable('search_lists')
    .set({ apps: sql`apps + 1` })
    .where('id', 'in', lists)
    .returning(['key', 'apps'])
    .execute();
}

/**
 * Adds the spellings of words, so that they are found when misspelt: words of names and publishers, and words that a second app uses. A word
 * that only one app has in its text is as likely a typo itself.
 */
async function addSpellings(db: Database, words: readonly string[]): Promise<void> {
  const rows = words.flatMap((word) =>
    Array.from(indexedSpellingsOf(word), (spelling) => ({ spelling, word })),
  );
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await db
      .insertInto('search_spellings')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function nextNumber(db: Database): Promise<number> {
  const { last } = await db
    .selectFrom('listings')
    .select((listing) => listing.fn.max('number').as('last'))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

/** Computes the new state of a listing in the index, next to its current one. */
async function indexStateOf(db: Database, listing: Described) {
  const row = await rowOf(db, listing.appId);
  if (!row) throw new Error(`There is no listing of ${listing.appId}.`);
  const document = toSearchDocument(listing, listing.publisher);
  const number = row.number ?? (await nextNumber(db));
  const place = row.place ?? placeOf(number, appStatsOf(row));
  const now = new Set(await listIds(db, [...document.keys]));
  const columns = {
    number,
    place,
    name_words: document.nameWords.join(' '),
    publisher_words: document.publisherWords.join(' '),
    lists_json: JSON.stringify([...now]),
    rating_weighted: weightedRating(appStatsOf(row).rating),
  };
  return { before: new Set(listsOf(row)), now, place, columns, mainWords: document.mainWords };
}

const updateListing = (db: Database, appId: string, columns: object) =>
  db.updateTable('listings').set(columns).where('app_id', '=', appId).execute();

/**
 * Updates the search index for an existing listing. Unchanged terms are not written: most versions of an app have the same texts as the
 * previous one.
 */
export async function indexApp(db: Database, listing: Described): Promise<void> {
  const { before, now, place, columns, mainWords } = await indexStateOf(db, listing);
  await removePostings(db, [...before.difference(now)], place);
  const added = [...now.difference(before)];
  await insertPostings(db, added, place);
  const joined = await incrementCounts(db, added);
  const words = joined
    .filter(({ key }) => key.startsWith(WORD))
    .map(({ key, apps }) => ({ word: key.slice(WORD.length), apps }))
    .filter(({ word, apps }) => apps === APPS_TO_TRUST || mainWords.has(word));
  await addSpellings(
    db,
    words.map(({ word }) => word),
  );
  await updateListing(db, listing.appId, columns);
}

/**
 * Adds one of many listings to an empty index, without counts: a transaction on PostgreSQL that updates the same row again and again gets
 * slower each time. Call `countAll` after the last one.
 */
export async function bulkIndexApp(db: Database, listing: Described): Promise<void> {
  const { now, place, columns, mainWords } = await indexStateOf(db, listing);
  await insertPostings(db, [...now], place);
  await addSpellings(db, [...mainWords]);
  await updateListing(db, listing.appId, columns);
}

/** Counts the apps of every list, and adds the spellings of words that more than one app has. */
export async function countAll(db: Database): Promise<void> {
  await sql`update search_lists set apps = (
    select count(*) from search_postings where list_id = search_lists.id)`.execute(db);
  for (let after = WORD; ; ) {
    const rows = await db
      .selectFrom('search_lists')
      .select('key')
      .where('key', '>', after)
      .where('key', '<', `${WORD}\u{10ffff}`)
      .where('apps', '>=', APPS_TO_TRUST)
      .orderBy('key')
      .limit(LISTS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    await addSpellings(
      db,
      rows.map(({ key }) => key.slice(WORD.length)),
    );
    after = last.key;
  }
}

export async function removeFromIndex(db: Database, appId: string): Promise<void> {
  const row = await rowOf(db, appId);
  if (row && row.place !== null) await removePostings(db, listsOf(row), row.place);
}

/** Moves an app to the place of its new statistics. */
export async function updateIndexedRank(db: Database, appId: string, appStats: AppStats): Promise<void> {
  const row = await rowOf(db, appId);
  if (row?.number == null || row.place === null) return;
  const place = placeOf(row.number, appStats);
  await db
    .updateTable('listings')
    .set({
      place,
      installs: appStats.installs,
      rating_average: appStats.rating.average,
      rating_count: appStats.rating.count,
      rating_weighted: weightedRating(appStats.rating),
    })
    .where('app_id', '=', appId)
    .execute();
  if (place === row.place) return;
  await db
    .updateTable('search_postings')
    .set({ place })
    .where('place', '=', row.place)
    .where('list_id', 'in', listsOf(row))
    .execute();
}
