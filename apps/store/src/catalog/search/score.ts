import { popularity } from '../../domain/listings/popularity.ts';
import type { Candidate } from '../../domain/listings/search/search-index.ts';

/** A word that was typed. */
export type TypedWord = {
  text: string;
  /** Words that may have been meant instead. */
  instead: ReadonlySet<string>;
  /** Whether it may be the start of a longer word. */
  isUnfinished: boolean;
};

/** What a search asks for. */
export type Wanted = {
  /** What was typed, when it may be an id or the start of one. */
  id: string | null;
  words: readonly TypedWord[];
};

/** How near an app comes, in steps that nothing else outweighs. */
const STEP = { exact: 5, begins: 4, name: 3, publisher: 2, text: 1 } as const;

/** What a typing error costs: such an app stands below all that have the words in their name. */
const EDIT_PENALTY = 3;

/** What decides between apps of one step; together less than a step. */
const SHARE = { closeness: 0.45, merit: 0.35, verified: 0.15 };

/** Scores are whole numbers: a cursor must hold exactly what the next page compares with. */
const UNITS = 1_000_000;

/** How a word of an app fits one that was typed: the same, its continuation, after a few edits, or not at all. */
const FIT = { same: 0, continued: 1, edited: 2, none: 3 } as const;

function fitOf({ text, instead, isUnfinished }: TypedWord, word: string): number {
  if (word === text) return FIT.same;
  if (isUnfinished && word.startsWith(text)) return FIT.continued;
  return instead.has(word) ? FIT.edited : FIT.none;
}

const bestFit = (typed: TypedWord, words: readonly string[]): number =>
  words.reduce<number>(
    (best, word) => (best === FIT.same ? best : Math.min(best, fitOf(typed, word))),
    FIT.none,
  );

/** The worst of some fits. */
const worst = (fits: readonly number[]): number => Math.max(...fits);

const cost = (fit: number): number => (fit === FIT.edited ? EDIT_PENALTY : 0);

function stepOf(
  { id, words }: Wanted,
  { appId, nameWords, publisherWords }: Candidate,
  inName: number[],
): number {
  if (appId.toLowerCase() === id) return STEP.exact;
  if (id !== null && appId.toLowerCase().startsWith(id)) return STEP.begins;
  const start = worst(words.map((typed, n) => fitOf(typed, nameWords[n] ?? '')));
  if (start !== FIT.none) {
    const isWhole = nameWords.length === words.length && start !== FIT.continued;
    return STEP[isWhole ? 'exact' : 'begins'] - cost(start);
  }
  if (worst(inName) !== FIT.none) return STEP.name - cost(worst(inName));
  const inEither = worst(
    words.map((typed, n) => Math.min(inName[n] ?? FIT.none, bestFit(typed, publisherWords))),
  );
  if (inEither !== FIT.none) return STEP.publisher - cost(inEither);
  return STEP.text - (words.some(({ instead }) => instead.size > 0) ? EDIT_PENALTY : 0);
}

/** How well an app that was found answers a search: the greater, the better. A whole number. */
export function scoreOf(wanted: Wanted, candidate: Candidate): number {
  const { nameWords } = candidate;
  const inName = wanted.words.map((typed) => bestFit(typed, nameWords));
  const fitting = inName.filter((fit) => fit !== FIT.none).length;
  const within =
    // Of two names with the words the shorter one is meant more likely.
    SHARE.closeness * Math.min(fitting / Math.max(nameWords.length, 1), 1) +
    SHARE.merit * popularity(candidate) +
    SHARE.verified * (candidate.isVerified ? 1 : 0);
  return Math.round(UNITS * (stepOf(wanted, candidate, inName) + within));
}
