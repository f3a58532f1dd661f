import type { Category } from '@svc/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../../platform/database/schema.ts';

/**
 * A posting list: the apps with a term in common, the most popular first. Its key is the kind and the term: `name:` for a word of the name,
 * `start:` for the first letters of one, `word:` for a word of any text, `category:` for a category.
 */
export type List = { id: number; key: string; apps: number };

/** The position of an app in all of its lists. */
export type Place = number;

export const NAME = 'name:';
export const START = 'start:';
export const WORD = 'word:';
export const categoryKey = (category: Category): string => `category:${category}`;

/** Prefixes up to this length have lists of their own: too many words have them to collect their lists. */
export const MAX_START = 3;

/** A possible search result, with everything that ranks it. */
export type Candidate = {
  place: Place;
  appId: string;
  /** Words of its name and of its publisher's name, as `wordsOf` returns them. */
  nameWords: readonly string[];
  publisherWords: readonly string[];
  isVerified: boolean;
  installs: number;
  rating: { average: number; count: number };
  updatedAt: string;
  firstPublishedAt: string;
  /** The name in lower case, by which names are sorted. */
  nameKey: string;
};

/** The greatest code point of Unicode: the end of the range of texts with the same prefix. */
const LAST = '\u{10ffff}';

/** Maximum keys among which those with the most apps are chosen. */
const MAX_KEYS = 2_000;

/** Maximum words that are compared with a misspelt one. */
const MAX_WORDS = 500;

/**
 * Maximum apps of the shortest list that are looked up in the others. Two long lists may have few apps in common, so the search is limited
 * to the best apps of the shorter one.
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

/** The best apps of some lists, without duplicates. A list is sorted by place, so that no more of it is read. */
function bestOf(lists: readonly List[], limit: number): RawBuilder<unknown> {
  const perList = lists.map(
    ({ id }) => sql`select place from (
      select place from search_postings where list_id = ${id} order by place desc limit ${limit}) as best`,
  );
  return sql`select place from (${sql.join(perList, sql` union `)}) as several order by place desc limit ${limit}`;
}

const isIn = (list: List, place: string) => sql`exists (
  select 1 from search_postings i where i.list_id = ${list.id} and i.place = ${sql.ref(place)})`;

async function beginning(
  db: Database,
  column: 'name_words' | 'app_id',
  { start, within, limit }: { start: string; within: List | null; limit: number },
): Promise<Place[]> {
  const by = sql.ref(`listings.${column}`);
  const { rows } = await sql<{ place: Place }>`
    select place from listings where ${by} >= ${start} and ${by} < ${start + LAST} and hidden = 0 and place is not null
      ${within ? sql`and ${isIn(within, 'listings.place')}` : sql``} order by ${by} limit ${limit}`.execute(
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

export function createSearchIndex(db: Database) {
  return {
    /** The non-empty lists with some keys. */
    async lists(keys: readonly string[]): Promise<List[]> {
      if (keys.length === 0) return [];
      return db
        .selectFrom('search_lists')
        .selectAll()
        .where('key', 'in', keys)
        .where('apps', '>', 0)
        .execute();
    },
    /** Lists whose key has a proper prefix: those with the most apps, at most `limit`. */
    async listsBeginning(key: string, limit: number): Promise<List[]> {
      const { rows } = await sql<List>`
        select id, key, apps from (
          select id, key, apps from search_lists where key > ${key} and key < ${key + LAST} order by key limit ${MAX_KEYS}
        ) as beginning where apps > 0 order by apps desc, key limit ${limit}`.execute(db);
      return rows;
    },
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
    /** The places of apps that are in at least one list of every group: the best, at most `limit`. */
    async inEvery(groups: readonly (readonly List[])[], limit: number): Promise<Place[]> {
      const sized = groups.map((lists) => ({ lists, apps: lists.reduce((sum, { apps }) => sum + apps, 0) }));
      const [first, ...others] = sized.sort((a, b) => a.apps - b.apps);
      if (!first || first.apps === 0) return [];
      const best = bestOf(first.lists, others.length === 0 ? limit : MAX_LOOKED_UP);
      const shared = others.map(
        ({ lists }) => sql`and exists (
          select 1 from search_postings q where q.list_id in (${idsOf(lists)}) and q.place = best.place)`,
      );
      const { rows } = await sql<{ place: Place }>`
        select place from (${best}) as best
        where exists (select 1 from listings l where l.place = best.place and l.hidden = 0) ${sql.join(shared, sql` `)}
        order by place desc limit ${limit}`.execute(db);
      return rows.map(({ place }) => place);
    },
    /** The places of apps whose name begins with a text of words. @param within a list that must contain them too */
    named: (start: string, within: List | null, limit: number): Promise<Place[]> =>
      beginning(db, 'name_words', { start, within, limit }),
    /** The places of apps whose id begins with a text. */
    identified: (start: string, within: List | null, limit: number): Promise<Place[]> =>
      beginning(db, 'app_id', { start, within, limit }),
    /** The apps at some places, in no order. */
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
