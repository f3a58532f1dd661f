import type { PublisherSummary } from '@svc/contracts';
import type { Listing } from '../listing.ts';
import { categoryKey, MAX_START, NAME, START, WORD } from './search-index.ts';
import { indexedWordsOf, wordsOf } from './words.ts';

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
  const keyed = (kind: string, of: Iterable<string>) => Array.from(of, (word) => kind + word);
  const keys = new Set([
    ...keyed(NAME, inName),
    ...keyed(START, [...inName].flatMap(startsOf)),
    ...keyed(WORD, words),
    ...categories.map(categoryKey),
  ]);
  return {
    keys,
    nameWords: wordsOf(name),
    publisherWords: wordsOf(`${publisher.name} ${publisher.slug}`),
    mainWords,
  };
}
