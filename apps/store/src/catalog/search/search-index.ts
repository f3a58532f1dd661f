import type { Category } from '@svc/contracts';

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
export const LONGEST_START = 3;

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

/** What a search asks of storage. Every answer is bounded, and leaves out what is suspended. */
export interface SearchIndex {
  /** The lists with these keys that hold an app. */
  lists(keys: readonly string[]): Promise<List[]>;
  /** Lists whose key begins so and goes on: those with the most apps, at most `most`. */
  listsBeginning(key: string, most: number): Promise<List[]>;
  /** Words that have one of these spellings. */
  wordsSpelt(spellings: readonly string[]): Promise<string[]>;
  /** Where apps stand that are in some list of every group: the best, at most `most`. */
  inEvery(groups: readonly (readonly List[])[], most: number): Promise<Place[]>;
  /** Where apps stand whose name begins with this text of words. @param within the list they must be in as well */
  named(start: string, within: List | null, most: number): Promise<Place[]>;
  /** Where apps stand whose id begins so. */
  identified(start: string, within: List | null, most: number): Promise<Place[]>;
  /** The apps that stand there, in no order. */
  candidates(places: readonly Place[]): Promise<Candidate[]>;
}
