import { popularity } from '../../domain/listings/popularity.ts';
import type { Candidate } from '../../domain/listings/search/search-index.ts';

export type QueryWord = {
  text: string;
  /** Its other forms, such as its plural. */
  forms: ReadonlySet<string>;
  /** Words with the same meaning. */
  synonyms: ReadonlySet<string>;
  /** Spelling corrections. */
  corrections: ReadonlySet<string>;
  /** Whether it may be the start of a longer word. */
  isUnfinished: boolean;
};

export type ParsedQuery = {
  /** The query in lower case, when it may be an id or the start of one. */
  id: string | null;
  words: readonly QueryWord[];
  /** The share of what was typed that these words leave out, from 0 to 1. */
  missing: number;
};

/** Relevance in steps. Nothing else outweighs a step. */
const STEP = { exact: 5, begins: 4, name: 3, publisher: 2, text: 1 } as const;

/** How a word of an app matches a word of the query, the best first. */
const FIT = { same: 0, continued: 1, form: 2, synonym: 3, edited: 4, none: 5 } as const;

/**
 * Penalties in steps. A corrected word ranks an app below all that have the words in their name; another word for the same ranks it below all
 * that have the word itself in any text.
 */
const COST: Readonly<Partial<Record<number, number>>> & Record<2 | 3 | 4, number> = {
  [FIT.form]: 0.5,
  [FIT.edited]: 3,
  [FIT.synonym]: 4.1,
};

/** The penalty of an app that has only some of the words: it ranks below those with all, and above it the more it has. */
const PARTIAL = { some: 4, each: 10 };

/** Weights of what decides between apps of one step. Their sum is less than a step. */
const SHARE = { closeness: 0.45, merit: 0.35, verified: 0.15 };

/** Scores are whole numbers, so that a cursor has the exact value that the next page compares with. */
const UNITS = 1_000_000;

function fitOf({ text, forms, synonyms, corrections, isUnfinished }: QueryWord, word: string): number {
  if (word === text) return FIT.same;
  if (isUnfinished && word.startsWith(text)) return FIT.continued;
  if (forms.has(word)) return FIT.form;
  if (synonyms.has(word)) return FIT.synonym;
  return corrections.has(word) ? FIT.edited : FIT.none;
}

const bestFit = (typed: QueryWord, words: readonly string[]): number =>
  words.reduce<number>(
    (best, word) => (best === FIT.same ? best : Math.min(best, fitOf(typed, word))),
    FIT.none,
  );

/** The worst of some matches. */
const worst = (fits: readonly number[]): number => Math.max(FIT.same, ...fits);

/** The penalty of some matches: that of the worst. */
const cost = (fits: readonly number[]): number => COST[worst(fits)] ?? 0;

/** The penalty of an app whose texts, but not its names, have the words: only the query tells how they may match. */
function costOfText(words: readonly QueryWord[]): number {
  if (words.some(({ corrections }) => corrections.size > 0)) return COST[FIT.edited];
  if (words.some(({ synonyms }) => synonyms.size > 0)) return COST[FIT.synonym];
  return words.some(({ forms }) => forms.size > 0) ? COST[FIT.form] : 0;
}

function stepOf(
  { id, words }: ParsedQuery,
  { appId, nameWords, publisherWords }: Candidate,
  inName: number[],
): number {
  if (appId.toLowerCase() === id) return STEP.exact;
  if (id !== null && appId.toLowerCase().startsWith(id)) return STEP.begins;
  const atStart = words.map((typed, n) => fitOf(typed, nameWords[n] ?? ''));
  const start = worst(atStart);
  if (start !== FIT.none) {
    const isWhole = nameWords.length === words.length && start !== FIT.continued;
    return STEP[isWhole ? 'exact' : 'begins'] - cost(atStart);
  }
  if (worst(inName) !== FIT.none) return STEP.name - cost(inName);
  const inEither = words.map((typed, n) => Math.min(inName[n] ?? FIT.none, bestFit(typed, publisherWords)));
  if (worst(inEither) !== FIT.none) return STEP.publisher - cost(inEither);
  return STEP.text - costOfText(words);
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
  const { missing } = query;
  const penalty = missing === 0 ? 0 : PARTIAL.some + PARTIAL.each * missing;
  // Words of the name count for those that are in no name.
  const named = missing === 0 ? 0 : fitting / Math.max(query.words.length, 1) / 2;
  return Math.round(UNITS * (stepOf(query, candidate, inName) + within + named - penalty));
}
