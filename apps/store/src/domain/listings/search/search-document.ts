import type { PublisherSummary } from '@svc/contracts';
import type { Listing } from '../listing.ts';
import { categoryKey, MAX_START, NAME, START, WORD } from './search-index.ts';
import { foundBy, wordsOf } from './words.ts';

const startsOf = (word: string): string[] => {
  const letters = [...word];
  return letters.slice(0, MAX_START).map((_, n) => letters.slice(0, n + 1).join(''));
};

/** The first part of an id is a top-level domain, which half of all ids begin with. */
const tellingPart = (appId: string): string => appId.split('.').slice(1).join(' ');

/**
 * By what an app is found.
 * @returns the keys of its lists; the words of its name and its publisher as searches rank them; and the words that it is
 *   known by, whose misspellings are forgiven
 */
export function toSearchDocument(
  { appId, name, description, categories }: Pick<Listing, 'appId' | 'name' | 'description' | 'categories'>,
  publisher: Pick<PublisherSummary, 'slug' | 'name'>,
) {
  const inName = foundBy(name);
  const inPublisher = foundBy(`${publisher.name} ${publisher.slug}`);
  const mainWords = inName.union(inPublisher);
  const words = mainWords.union(foundBy(description)).union(foundBy(tellingPart(appId)));
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
