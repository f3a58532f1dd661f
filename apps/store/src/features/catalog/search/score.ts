import { popularity } from '../../../domain/listings/popularity.ts';
import type { Candidate } from '../../../domain/listings/search/search-index.ts';

/** A word of a query. */
export type QueryWord = {
  text: string;
  /** Spelling corrections. */
  corrections: ReadonlySet<string>;
  /** Whether it may be the start of a longer word. */
  isUnfinished: boolean;
};

/** A parsed query. */
export type ParsedQuery = {
  /** The query in lower case, when it may be an id or the start of one. */
  id: string | null;
  words: readonly QueryWord[];
};

/** Relevance in steps. Nothing else outweighs a step. */
const STEP = { exact: 5, begins: 4, name: 3, publisher: 2, text: 1 } as const;

/** The penalty of a corrected word: such an app ranks below all that have the words in their name. */
const EDIT_PENALTY = 3;

/** Weights of what decides between apps of one step. Their sum is less than a step. */
const SHARE = { closeness: 0.45, merit: 0.35, verified: 0.15 };

/** Scores are whole numbers, so that a cursor has the exact value that the next page compares with. */
const UNITS = 1_000_000;

/** How a word of an app matches a word of the query: the same, its continuation, after a few edits, or not at all. */
const FIT = { same: 0, continued: 1, edited: 2, none: 3 } as const;

function fitOf({ text, corrections, isUnfinished }: QueryWord, word: string): number {
  if (word === text) return FIT.same;
  if (isUnfinished && word.startsWith(text)) return FIT.continued;
  return corrections.has(word) ? FIT.edited : FIT.none;
}

const bestFit = (typed: QueryWord, words: readonly string[]): number =>
  words.reduce<number>(
    (best, word) => (best === FIT.same ? best : Math.min(best, fitOf(typed, word))),
    FIT.none,
  );

/** The worst of some matches. */
const worst = (fits: readonly number[]): number => Math.max(...fits);

const cost = (fit: number): number => (fit === FIT.edited ? EDIT_PENALTY : 0);

function stepOf(
  { id, words }: ParsedQuery,
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
  return STEP.text - (words.some(({ corrections }) => corrections.size > 0) ? EDIT_PENALTY : 0);
}

/** Scores a found app by its relevance to a query. Higher is better. A whole number. */
export function scoreOf(query: ParsedQuery, candidate: Candidate): number {
  const { nameWords } = candidate;
  const inName = query.words.map((typed) => bestFit(typed, nameWords));
  const fitting = inName.filter((fit) => fit !== FIT.none).length;
  const within =
    // Of two names with all words, the shorter one is more likely to be the one searched for.
    SHARE.closeness * Math.min(fitting / Math.max(nameWords.length, 1), 1) +
    SHARE.merit * popularity(candidate) +
    SHARE.verified * (candidate.isVerified ? 1 : 0);
  return Math.round(UNITS * (stepOf(query, candidate, inName) + within));
}
