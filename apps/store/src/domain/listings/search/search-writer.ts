import { sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';
import type { Listing } from '../listing.ts';
import { type AppStats, popularity, weightedRating } from '../popularity.ts';
import { toSearchDocument } from './search-document.ts';
import { WORD } from './search-index.ts';
import { foundSpelt } from './spelling.ts';

/**
 * Where an app stands in every list it is in: by how well it does in 256 grades, which seldom change, and then by a number
 * of its own. One whole number below 2^53, so that a list is read from its best app on, and any app looked up in it.
 */
const GRADES = 256;
const NUMBERS = 2 ** 32;

const placeOf = (number: number, appStats: AppStats): number =>
  Math.min(Math.floor(popularity(appStats) * GRADES), GRADES - 1) * NUMBERS + number;

/** Rows of one statement: each takes two parameters, of which PostgreSQL takes 65,535 and SQLite 32,766. */
const ROWS_AT_ONCE = 5_000;

const LISTS_AT_ONCE = 500;

/** So many apps make a word one that may have been meant. */
const APPS_TO_TRUST = 2;

/** What a listing says, and whose it is. */
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

/** The numbers of lists, which are made when there are none yet. */
async function listIds(db: Database, keys: readonly string[]): Promise<number[]> {
  const known = await db.selectFrom('search_lists').select(['id', 'key']).where('key', 'in', keys).execute();
  const held = new Set(known.map(({ key }) => key));
  const missing = keys.filter((key) => !held.has(key)).map((key) => ({ key, apps: 0 }));
  if (missing.length === 0) return known.map(({ id }) => id);
  const made = await db.insertInto('search_lists').values(missing).returning('id').execute();
  return [...known, ...made].map(({ id }) => id);
}

async function takeOut(db: Database, lists: readonly number[], place: number): Promise<void> {
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

/** Counts one app more in some lists. @returns the lists, with how many apps they hold now */
async function countMore(db: Database, lists: readonly number[]): Promise<{ key: string; apps: number }[]> {
  if (lists.length === 0) return [];
  return db
    .updateTable('search_lists')
    .set({ apps: sql`apps + 1` })
    .where('id', 'in', lists)
    .returning(['key', 'apps'])
    .execute();
}

/**
 * Lets words be found though they are misspelt: those of names and publishers, and those that a second app uses. What one
 * app alone says somewhere in its text is as likely a mistake itself.
 */
async function learnSpellings(db: Database, words: readonly string[]): Promise<void> {
  const rows = words.flatMap((word) => Array.from(foundSpelt(word), (spelling) => ({ spelling, word })));
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

/** By what a listing is to be found, and by what it is. */
async function storedAppStatsOf(db: Database, listing: Described) {
  const row = await rowOf(db, listing.appId);
  if (!row) throw new Error(`There is no listing of ${listing.appId}.`);
  const found = toSearchDocument(listing, listing.publisher);
  const number = row.number ?? (await nextNumber(db));
  const place = row.place ?? placeOf(number, appStatsOf(row));
  const now = new Set(await listIds(db, [...found.keys]));
  const columns = {
    number,
    place,
    name_words: found.nameWords.join(' '),
    publisher_words: found.publisherWords.join(' '),
    lists_json: JSON.stringify([...now]),
    rating_weighted: weightedRating(appStatsOf(row).rating),
  };
  return { before: new Set(listsOf(row)), now, place, columns, mainWords: found.mainWords };
}

const note = (db: Database, appId: string, columns: object) =>
  db.updateTable('listings').set(columns).where('app_id', '=', appId).execute();

/**
 * Lets a listing that is there be found by what it says now. What has not changed is not written: most versions of an app
 * say what the last one did.
 */
export async function indexApp(db: Database, listing: Described): Promise<void> {
  const { before, now, place, columns, mainWords } = await storedAppStatsOf(db, listing);
  await takeOut(db, [...before.difference(now)], place);
  const added = [...now.difference(before)];
  await insertPostings(db, added, place);
  const joined = await countMore(db, added);
  const words = joined
    .filter(({ key }) => key.startsWith(WORD))
    .map(({ key, apps }) => ({ word: key.slice(WORD.length), apps }))
    .filter(({ word, apps }) => apps === APPS_TO_TRUST || mainWords.has(word));
  await learnSpellings(
    db,
    words.map(({ word }) => word),
  );
  await note(db, listing.appId, columns);
}

/**
 * The same for one of many listings that are not found yet, without what is counted: a transaction on PostgreSQL that counts
 * an app in the same list again and again gets slower each time. `countAll` follows the last one.
 */
export async function fillIn(db: Database, listing: Described): Promise<void> {
  const { now, place, columns, mainWords } = await storedAppStatsOf(db, listing);
  await insertPostings(db, [...now], place);
  await learnSpellings(db, [...mainWords]);
  await note(db, listing.appId, columns);
}

/** Counts the apps of every list, and learns the words of more than one. */
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
    await learnSpellings(
      db,
      rows.map(({ key }) => key.slice(WORD.length)),
    );
    after = last.key;
  }
}

/** Lets an app be found no more. */
export async function removeFromIndex(db: Database, appId: string): Promise<void> {
  const row = await rowOf(db, appId);
  if (row && row.place !== null) await takeOut(db, listsOf(row), row.place);
}

/** Puts an app where its figures place it. */
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
