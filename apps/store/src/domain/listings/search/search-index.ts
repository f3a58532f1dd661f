import type { Category } from '@svc/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';

/**
 * The apps that have something in common, the most used and best rated first. Its key says what: `name:` a word of the
 * name, `start:` the first letters of one, `word:` a word of anything, `category:` a category.
 */
export type List = { id: number; key: string; apps: number };

/** Where an app stands in each list it is in. */
export type Place = number;

export const NAME = 'name:';
export const START = 'start:';
export const WORD = 'word:';
export const categoryKey = (category: Category): string => `category:${category}`;

/** Starts up to this length have lists of their own: too many words begin so to gather theirs. */
export const MAX_START = 3;

/** An app that may be what is looked for, with all that ranks it. */
export type Candidate = {
  place: Place;
  appId: string;
  /** Words of its name and its publisher's, as `wordsOf` gives them. */
  nameWords: readonly string[];
  publisherWords: readonly string[];
  isVerified: boolean;
  installs: number;
  rating: { average: number; count: number };
  updatedAt: string;
  firstPublishedAt: string;
  /** The name in small letters, by which names are sorted. */
  nameKey: string;
};

/** Greater than every character (Unicode has none above it), so that it ends the range of texts that begin alike. */
const LAST = '\u{10ffff}';

/** Keys that are looked at for those with the most apps. */
const MAX_KEYS = 2_000;

/** Words that are compared with a misspelt one. */
const MAX_WORDS = 500;

/**
 * Apps of the shortest list that are looked up in the others. Two lists may be long and have few apps in common; past the
 * best of the shorter one the search ends.
 */
const MAX_LOOKED_UP = 5_000;

type Row = {
  place: Place | null;
  app_id: string;
  name_words: string;
  publisher_words: string;
  verified: number;
  installs: number;
  rating_average: number;
  rating_count: number;
  updated_at: string;
  first_published_at: string;
  name_key: string;
};

const split = (words: string): string[] => words.split(' ').filter(Boolean);

const candidateOf = (row: Row): Candidate => ({
  place: row.place ?? 0,
  appId: row.app_id,
  nameWords: split(row.name_words),
  publisherWords: split(row.publisher_words),
  isVerified: row.verified === 1,
  installs: row.installs,
  rating: { average: row.rating_average, count: row.rating_count },
  updatedAt: row.updated_at,
  firstPublishedAt: row.first_published_at,
  nameKey: row.name_key,
});

const idsOf = (lists: readonly List[]) => sql.join(lists.map(({ id }) => id));

/** The best apps of some lists, each once. A list is in the order of places already, so that no more is read of it. */
function bestOf(lists: readonly List[], most: number): RawBuilder<unknown> {
  const each = lists.map(
    ({ id }) => sql`select place from (
      select place from search_postings where list_id = ${id} order by place desc limit ${most}) as one`,
  );
  return sql`select place from (${sql.join(each, sql` union `)}) as several order by place desc limit ${most}`;
}

const isIn = (list: List, place: string) => sql`exists (
  select 1 from search_postings i where i.list_id = ${list.id} and i.place = ${sql.ref(place)})`;

async function beginning(
  db: Database,
  column: 'name_words' | 'app_id',
  { start, within, most }: { start: string; within: List | null; most: number },
): Promise<Place[]> {
  const by = sql.ref(`listings.${column}`);
  const { rows } = await sql<{ place: Place }>`
    select place from listings where ${by} >= ${start} and ${by} < ${start + LAST} and hidden = 0 and place is not null
      ${within ? sql`and ${isIn(within, 'listings.place')}` : sql``} order by ${by} limit ${most}`.execute(
    db,
  );
  return rows.map(({ place }) => place);
}

const CANDIDATE = [
  'listings.place',
  'listings.app_id',
  'listings.name_words',
  'listings.publisher_words',
  'listings.installs',
  'listings.rating_average',
  'listings.rating_count',
  'listings.updated_at',
  'listings.first_published_at',
  'listings.name_key',
  'publishers.verified',
] as const;

/** What searches find apps by, in the database. */
export function createSearchIndex(db: Database) {
  return {
    /** The lists with these keys that hold an app. */
    async lists(keys: readonly string[]): Promise<List[]> {
      if (keys.length === 0) return [];
      return db
        .selectFrom('search_lists')
        .selectAll()
        .where('key', 'in', keys)
        .where('apps', '>', 0)
        .execute();
    },
    /** Lists whose key begins so and goes on: those with the most apps, at most `most`. */
    async listsBeginning(key: string, most: number): Promise<List[]> {
      const { rows } = await sql<List>`
        select id, key, apps from (
          select id, key, apps from search_lists where key > ${key} and key < ${key + LAST} order by key limit ${MAX_KEYS}
        ) as beginning where apps > 0 order by apps desc, key limit ${most}`.execute(db);
      return rows;
    },
    /** Words that have one of these spellings. */
    async wordsSpelt(spellings: readonly string[]): Promise<string[]> {
      if (spellings.length === 0) return [];
      const rows = await db
        .selectFrom('search_spellings')
        .select('word')
        .distinct()
        .where('spelling', 'in', spellings)
        .limit(MAX_WORDS)
        .execute();
      return rows.map(({ word }) => word);
    },
    /** Where apps stand that are in some list of every group: the best, at most `most`. */
    async inEvery(groups: readonly (readonly List[])[], most: number): Promise<Place[]> {
      const sized = groups.map((lists) => ({ lists, apps: lists.reduce((sum, { apps }) => sum + apps, 0) }));
      const [first, ...others] = sized.sort((a, b) => a.apps - b.apps);
      if (!first || first.apps === 0) return [];
      const best = bestOf(first.lists, others.length === 0 ? most : MAX_LOOKED_UP);
      const shared = others.map(
        ({ lists }) => sql`and exists (
          select 1 from search_postings q where q.list_id in (${idsOf(lists)}) and q.place = best.place)`,
      );
      const { rows } = await sql<{ place: Place }>`
        select place from (${best}) as best
        where exists (select 1 from listings l where l.place = best.place and l.hidden = 0) ${sql.join(shared, sql` `)}
        order by place desc limit ${most}`.execute(db);
      return rows.map(({ place }) => place);
    },
    /** Where apps stand whose name begins with this text of words. @param within the list they must be in as well */
    named: (start: string, within: List | null, most: number): Promise<Place[]> =>
      beginning(db, 'name_words', { start, within, most }),
    /** Where apps stand whose id begins so. */
    identified: (start: string, within: List | null, most: number): Promise<Place[]> =>
      beginning(db, 'app_id', { start, within, most }),
    /** The apps that stand there, in no order. */
    async candidates(places: readonly Place[]): Promise<Candidate[]> {
      if (places.length === 0) return [];
      const rows = await db
        .selectFrom('listings')
        .innerJoin('publishers', 'publishers.slug', 'listings.publisher')
        .select(CANDIDATE)
        .where('listings.place', 'in', places)
        .where('listings.hidden', '=', 0)
        .execute();
      return rows.map(candidateOf);
    },
  };
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;
