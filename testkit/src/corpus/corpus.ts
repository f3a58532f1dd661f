import { CATEGORIES, type Category } from '@svc/contracts';
import { ADJECTIVES, AUDIENCES, BESIDE, SYLLABLES, TOPICS } from './vocabulary.ts';

/** An app of a generated catalogue. */
export type CorpusApp = {
  appId: string;
  name: string;
  description: string;
  categories: Category[];
  publisher: string;
  installs: number;
  rating: { average: number; count: number };
};

/** A publisher of a generated catalogue. */
export type CorpusPublisher = { slug: string; name: string; verified: boolean };

/** Average number of apps of a publisher. */
const APPS_OF_ONE = 20;

/** Pseudorandom numbers from 0 to 1, reproducible by seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function pickers(next: () => number) {
  const pick = <T>(among: readonly T[]): T => among[Math.floor(next() * among.length)] as T;
  /** An unused name: two to four syllables. */
  const brand = (): string =>
    capital(Array.from({ length: 2 + Math.floor(next() * 3) }, () => pick(SYLLABLES)).join(''));
  return { pick, brand };
}

/** The publishers of a catalogue of a given size: one in three is verified. */
export function corpusPublishers(apps: number, seed = 1): CorpusPublisher[] {
  const next = numbersFrom(seed);
  const { pick, brand } = pickers(next);
  return Array.from({ length: Math.max(1, Math.floor(apps / APPS_OF_ONE)) }, (_, n) => ({
    slug: `publisher-${n}`,
    name: `${brand()} ${pick(['Labs', 'Software', 'Apps', 'Works', 'Studios', 'GmbH'])}`,
    verified: next() < 1 / 3,
  }));
}

/**
 * Generates the apps of a realistic catalogue: names of common words, often with a brand; a few apps with very many installs, and many
 * with few. Reproducible by size and seed. Yields one app at a time, because a million may not fit into memory.
 */
export function* corpusApps(size: number, seed = 1): Generator<CorpusApp> {
  const next = numbersFrom(seed ^ 0x5bf03635);
  const { pick, brand } = pickers(next);
  const publishers = Math.max(1, Math.floor(size / APPS_OF_ONE));
  for (let n = 0; n < size; n += 1) {
    const category = pick(CATEGORIES);
    const { things, actions } = TOPICS[category];
    const thing = pick(things);
    const name = pick([
      () => `${capital(thing)} ${capital(pick(BESIDE))}`,
      () => `${capital(pick(BESIDE))} ${capital(thing)}`,
      () => `${brand()} ${capital(thing)}`,
      () => `${brand()}`,
      () => `${capital(thing)}${capital(pick(BESIDE))}`,
      () => `${brand()} ${capital(thing)} ${capital(pick(BESIDE))}`,
    ])();
    const rated = next() ** 6;
    yield {
      appId: `com.corpus.app${n}`,
      name,
      description: `A ${pick(ADJECTIVES)} ${thing} app for ${pick(AUDIENCES)} that ${pick(actions)} and ${pick(actions)}. ${capital(pick(ADJECTIVES))} with every ${pick(things)}; by ${brand()}.`,
      categories: next() < 0.5 ? [category] : [...new Set([category, pick(CATEGORIES)])],
      publisher: `publisher-${Math.floor(next() * publishers)}`,
      installs: Math.floor(10 ** (next() ** 3 * 6.5)) - 1,
      rating: { average: Math.round((2 + next() * 3) * 10) / 10, count: Math.floor(rated * 5_000) },
    };
  }
}
