import { extensionOf } from './paths.ts';
import type { BundleFile } from './targets.ts';
import { isFields, isList } from './values.ts';

/** Points from which a script is flagged. */
export const FLAGGED = 50;

/** Size of a tile in bytes. What is counted is added up over two neighbouring tiles, so that plain script around it does not hide it. */
const TILE = 8_192;

/** Something that obfuscators write, and people and minifiers seldom or never. */
type Feature = {
  /** Number of occurrences for the full weight; fewer give a proportional part of it. */
  readonly enough: number;
  /** Most points that it adds. */
  readonly weight: number;
  /** What occurs, for a reviewer. */
  readonly says: string;
  readonly pattern: RegExp;
  /** Pairs of bytes of which each occurrence has one, or that each contains a match of WORDS. Empty when neither is known. */
  readonly needs: readonly number[] | typeof A_WORD;
  /** What the occurrences are a part of, and the smallest part that counts, from 0 to 1. */
  readonly among?: readonly [all: RegExp, share: number];
};

export const A_WORD = 'a match of WORDS';

const numbersOf = (pairs: string): number[] =>
  pairs.split(' ').map((pair) => (pair.charCodeAt(0) << 8) | pair.charCodeAt(1));

const feature = (
  [enough, weight, needs]: readonly [enough: number, weight: number, pairs?: string],
  says: string,
  pattern: RegExp,
  ...among: [] | [all: RegExp, share: number]
): Feature => ({
  ...{ enough, weight, says, pattern },
  needs: needs === A_WORD ? needs : needs === undefined ? [] : numbersOf(needs),
  ...(among.length === 2 && { among }),
});

const NAMES = /[^\w$.][A-Za-z_$]/g;
const MEMBERS = /[\w$)\]](?:\.[A-Za-z_$]|\[['"][A-Za-z_$][\w$]{0,40}['"]\])/g;
const CALLS = /[\w$]\(/g;
const KEYS = /[{,]\s{0,40}\[?['"]?[A-Za-z_$][\w$]{0,40}['"]?\]?\s?:/g;
const TEXTS = /'[^'"\\\n]{0,60}'|"[^'"\\\n]{0,60}"/g;
const NUMBERS = /\b(?:0x[\da-f]+|\d+)\b/g;

/** Members of JavaScript and of the DOM. Authors have no reason to quote them: compilers do not rename them. */
const BUILT_IN =
  /[\w$)\]]\[['"](?:apply|bind|body|call|charAt|charCodeAt|concat|constructor|cookie|createElement|defineProperty|document|error|exports|fetch|filter|forEach|fromCharCode|hasOwnProperty|indexOf|innerHTML|join|keys|length|location|log|map|open|parse|prototype|push|querySelector|replace|reverse|shift|slice|split|splice|stringify|substr|substring|then|toString|value|values|warn)['"]\]/g;

/** A word in brackets, but no entry of an enumeration, as TypeScript compiles it, and no `default`, which is no valid member in ES3. */
const BRACKETS = /[\w$)\]]\[['"](?!default['"])[A-Za-z_$][\w$]{0,40}['"]\](?!\s?=\s?\d)/g;
const EMPTY_ARRAYS = /!!\[\]|[!+]\[\]/g;

const QUOTED = `[' ["`;

/**
 * The features. A minifier writes none of them: it makes names short, puts members behind dots, joins constant texts, writes values the
 * shortest way, and adds no code that only hides other code.
 */
export const FEATURES: readonly Feature[] = [
  feature([10, 100, '0x'], 'names like `_0x1a2b`', /\b_0x[\da-f]{2,}\b/g),
  feature(
    [10, 100, 'lI 1I Il 1l O0 Q0'],
    'names like `lIl1lI`',
    /\b(?:l[l1]{0,20}I|I[I1]{0,20}l)[lI1]{2,40}\b|\b[OQ]{1,20}0[O0Q]{2,40}\b/g,
  ),
  feature([40, 100, '$$ $_ _$ __'], 'names of `$` and `_` only', /[^\w$][$_]{3,40}[^\w$]/g, NAMES, 0.3),
  feature([20, 100, '\xef\xbe'], 'names that are faces', /\(\xef\xbe/g),
  feature([8, 45, QUOTED], "built-in members in brackets, like `['length']`", BUILT_IN, MEMBERS, 0.1),
  feature([12, 30, QUOTED], 'members in brackets where a dot would do', BRACKETS, MEMBERS, 0.6),
  feature([20, 18, QUOTED], 'no members behind dots', BRACKETS, MEMBERS, 0.98),
  feature(
    [2, 90, A_WORD],
    "members in pieces, like `['al' + 'ert']`",
    /\[\s?'[\w$]{1,12}'\s?\+\s?'[\w$]|\[\s?"[\w$]{1,12}"\s?\+\s?"[\w$]/g,
  ),
  feature(
    [10, 25],
    "texts in pieces, like `'hel' + 'lo'`",
    /'[^'"\\\n]{1,16}'\s?\+\s?'[^'"\\\n]{0,16}'|"[^'"\\\n]{1,16}"\s?\+\s?"[^'"\\\n]{0,16}"/g,
    TEXTS,
    0.2,
  ),
  feature([5, 60, '0x'], 'members that are looked up, like `a[f(0x1f)]`', /\[[\w$]{1,20}\('?-?0x[\da-f]+'?/g),
  feature(
    [12, 34, '0x'],
    'texts that are looked up, like `f(0x1f)`',
    /[\w$]\('?-?0x[\da-f]+'?/g,
    CALLS,
    0.15,
  ),
  feature([5, 45, QUOTED], "keys like `['key']`", /[{,]\s{0,40}\[['"][\w$]{1,40}['"]\]\s?[:(]/g, KEYS, 0.2),
  feature(
    [12, 15],
    'quoted keys where a name would do',
    /[{,]\s{0,40}['"][A-Za-z_$][\w$]{0,40}['"]\s?:/g,
    KEYS,
    0.9,
  ),
  feature([3, 45, '[]'], 'values like `!![]`', EMPTY_ARRAYS),
  feature([100, 60, '[]'], 'code of six characters', EMPTY_ARRAYS),
  feature([10, 30, '0x'], 'digits like `0x1`', /\b0x[\da-f]\b/g, NUMBERS, 0.1),
  feature([10, 15, '0x'], 'hexadecimal numbers only', /\b0x[\da-f]{1,8}\b/g, NUMBERS, 0.9),
  feature(
    [8, 90, '\\x \\u'],
    'texts of escapes, like `\\x61\\x6c`',
    /['"](?:\\x[2-7][\da-f]|\\u00[2-7][\da-f]){3}/g,
    TEXTS,
    0.3,
  ),
  feature(
    [1, 90, '\\x \\u %2 %3 %4 %5 %6 %7'],
    'a long text of escapes',
    /(?:\\x[2-7][\da-f]|\\u00[2-7][\da-f]|%[2-7][\da-f]){30}/g,
  ),
  feature([4, 60, '\\x'], 'spaces as `\\x20`', /[\w'",.:;=>]\\x20[\w'",.:<]/g),
  feature(
    [1, 25, '+/ ";'],
    'an alphabet of its own',
    /abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\+\/|=\s?"(?:\w{0,14}(?:\\"|[!#-/:-@[-^`{-~])){24,34}\w{0,14}";/g,
  ),
  feature(
    [2, 80, '0x'],
    'sums over a table of numbers',
    /parseInt\([\w$]{1,20}\([^()\n]{1,40}\)\)\s?\/\s?\(?-?0x/g,
  ),
  feature(
    [1, 25],
    'a list that is turned until it fits',
    /push['"]?\]?\([\w$]{1,20}(?:\.shift|\[['"]shift['"]\])\(/g,
  ),
  feature(
    [1, 45],
    'a function that replaces itself by a list of texts',
    /=\s?function\s?\(\)\s?\{\s{0,40}return [\w$]{1,20};?\s{0,40}\}[;,]?\s{0,40}return [\w$]{1,20}\(\)/g,
  ),
  feature(
    [1, 60],
    'the order of statements in a text',
    /['"]\d{1,2}(?:\|\d{1,2}){2,40}['"](?:\.split|\[['"]split|\[[\w$]{1,20}[([])/g,
  ),
  feature(
    [2, 45],
    'statements as cases of a loop',
    /while\s?\((?:!!\[\]|true|!0)\)\s?\{\s{0,40}switch|switch\s?\([\w$]{1,20}\[[\w$]{1,20}\+\+\]/g,
  ),
  feature(
    [6, 45],
    'functions for one operator or call',
    /[{,]\s{0,40}['"]?[A-Za-z]{5}['"]?\]?\s?:\s?function\s?\([\w$, ]{1,40}\)\s?\{\s{0,40}return [\w$]{1,20}(?:\(|\s?[-+*/%&|^<>=!]{1,3}\s?[\w$]{1,20}\s{0,40};?\s{0,40}\})/g,
  ),
  feature(
    [4, 40],
    "conditions like `'abc' === 'def'`",
    /'[A-Za-z]{3,10}'\s?[!=]==?\s?'[A-Za-z]{3,10}'|"[A-Za-z]{3,10}"\s?[!=]==?\s?"[A-Za-z]{3,10}"/g,
  ),
  feature(
    [2, 70, `.+ {} 'd "d 'g "g`],
    'traps for those who look into it',
    /\(\.\+\)\+\)\+|['"](?:debu|gger)['"]|\bwhile\s?\(true\)\s?\{\}/g,
  ),
  feature(
    [2, 40],
    'functions that unpack their arguments',
    /(?<=\b(?:var|let|const)\s?\[[\w$, ]{1,40}\]\s?=\s?)arguments/g,
  ),
  feature(
    [1, 100, A_WORD],
    'text that is decoded and run',
    /(?:\b(?:eval|Function|execScript)|['"](?:eval|Function|constructor)['"]\])\)?\s?\([^;\n]{0,60}?(?:atob|unescape|decodeURI|fromC(?:har|odePoint)|reverse\(\)|\[(?:\d{1,3},\s?){12})/g,
  ),
  feature([1, 60, A_WORD], 'text that is decoded and written into the page', /\bwrite(?:ln)?\(unescape\(/g),
  feature([1, 100, 'p,'], 'packed code', /eval\(function\s?\(p,\s?a,\s?c,\s?k,\s?e/g),
  feature([1, 30, A_WORD], 'a long text that is run', /\beval\s?\(['"`][^\n]{300}/g),
  feature([1, 25, A_WORD], 'text that is reversed', /\.split\((?:''|"")\)\.reverse\(\)\.join\(/g),
  feature([1, 19, A_WORD], 'a variable that is run', /\beval\)?\([\w$]{1,20}\)/g),
  feature([1, 40, A_WORD], 'a long text that is decoded', /\batob\)?\(\s?['"][A-Za-z0-9+/=]{100}/g),
  feature([3, 60, A_WORD], 'reversed words, like `nruter`', /noitcnuf|nruter|tsnoc |tnemucod|wodniw/g),
];

/** Pairs of bytes that most features have, with points: ordinary script seldom has more than a few in a tile. */
const PAIRS = new Uint8Array(65_536);
for (const [points, pairs] of [
  [1, `[] \\u '+ "+ +' +" $_ _$ $$ __`],
  [2, `[' [" 0x _0 \\x II ![ &#`],
  [3, 'lI Il O0 0O \xef\xbe'],
] as const)
  for (const pair of numbersOf(pairs)) PAIRS[pair] = points;

/** Points of pairs from which a tile is searched. */
const SUSPICIOUS = 24;

/** The words of features that need no such pairs; each occurrence of one with A_WORD contains a match. */
export const WORDS =
  /\[\s?['"][\w$]{1,12}['"]\s?\+|\b(?:eval|Function|execScript|atob)\b['"\])]{0,3}\s?\(|unescape|constructor['"]|nruter|noitcnuf|tsnoc |tnemucod|wodniw|\.reverse\(\)\.|debu|= ?arguments;|%[2-7][\da-f]%/;

/** How often a pattern occurs in a tile. */
type Counts = (pattern: RegExp) => number;

const NOTHING: Counts = () => 0;

/** Counts in a tile, whose pairs of bytes are set in `pairs`; `hasWord` is whether it has a match of WORDS. Most features cannot occur in it: their patterns are not tried. */
function countsOf(tile: string, pairs: Uint8Array, hasWord: boolean): Counts {
  const cannotOccur = ({ needs }: Feature) =>
    needs === A_WORD ? !hasWord : needs.length > 0 && !needs.some((pair) => pairs[pair] === 1);
  const known = new Map(FEATURES.filter(cannotOccur).map(({ pattern }): [RegExp, number] => [pattern, 0]));
  return (pattern) => {
    const count = known.get(pattern) ?? tile.match(pattern)?.length ?? 0;
    known.set(pattern, count);
    return count;
  };
}

/** Sets `pairs` for the pairs of bytes from `start` to `end`. @returns the sum of their points */
function findPairs(bytes: Uint8Array, start: number, end: number, pairs: Uint8Array): number {
  pairs.fill(0);
  let [pair, points] = [0, 0];
  for (let at = start; at < end; at += 1) {
    pair = ((pair << 8) | (bytes[at] as number)) & 0xffff;
    pairs[pair] = 1;
    points += PAIRS[pair] as number;
  }
  return points;
}

/** The evidence that a script is obfuscated, the strongest first, and the sum of its points. */
export type Score = {
  readonly points: number;
  readonly evidence: readonly { readonly says: string; readonly hits: number; readonly points: number }[];
};

function scoreOf(tiles: readonly Counts[]): Score {
  const sum = (pattern: RegExp) => tiles.reduce((all, counts) => all + counts(pattern), 0);
  const evidence = FEATURES.flatMap(({ pattern, enough, weight, among: [all, share] = [null, 0], says }) => {
    const hits = sum(pattern);
    if (hits === 0 || (all && hits < share * sum(all))) return [];
    return [{ says, hits, points: weight * Math.min(1, hits / enough) }];
  });
  const points = evidence.reduce((all, one) => all + one.points, 0);
  return { points, evidence: evidence.toSorted((one, other) => other.points - one.points) };
}

/** Pages and pictures that can have scripts, in which characters can be references. */
const MARKUP: ReadonlySet<string> = new Set(['html', 'htm', 'svg']);

/** UTF-8 as one character for each byte. UTF-16 with a byte order mark, which browsers read too, becomes UTF-8 first. */
function charactersOf({ name, bytes }: BundleFile): { bytes: Uint8Array; text: string } {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const wide = isWide ? new TextDecoder(first === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes) : '';
  const narrow = isWide ? new TextEncoder().encode(wide) : bytes;
  const text = new TextDecoder('latin1').decode(narrow);
  if (!MARKUP.has(extensionOf(name)) || !text.includes('&#')) return { bytes: narrow, text };
  const plain = text.replace(/&#(?:(\d{1,3})|x([\da-f]{1,2}));/gi, (_whole, decimal, hex) =>
    String.fromCharCode(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal) & 0xff),
  );
  return { bytes: Uint8Array.from(plain, (character) => character.charCodeAt(0)), text: plain };
}

/**
 * Returns the score of the first obfuscated part of a file; undefined when there is none. Pages and SVGs are read as a whole. It is a hint
 * for a reviewer, and no proof. Never throws; takes linear time, and memory for the text of the file.
 */
export function obfuscationOf(file: BundleFile): Score | undefined {
  const { bytes, text } = charactersOf(file);
  const pairs = new Uint8Array(PAIRS.length);
  let before = NOTHING;
  for (let start = 0; start < text.length; start += TILE) {
    const tile = text.slice(start, start + TILE);
    // A tile within one long text: what decodes it and what runs it may be on its two sides.
    const isWithinText = !/['"`]/.test(tile);
    const points = findPairs(bytes, start, start + tile.length, pairs);
    const hasWord = WORDS.test(tile);
    if (points < SUSPICIOUS && !hasWord) {
      if (!isWithinText) before = NOTHING;
      continue;
    }
    const counts = countsOf(tile, pairs, hasWord);
    const score = scoreOf([before, counts]);
    if (score.points >= FLAGGED) return score;
    if (!isWithinText) before = counts;
  }
  return undefined;
}

/** Whether a value is a score, which the rule passes from its check to its message. */
export const isScore = (value: unknown): value is Score => isFields(value) && isList(value.evidence);

/** Most reasons in a message. */
const MAX_REASONS = 3;

/** The strongest reasons for a score, in words. */
export const reasonsFor = ({ evidence }: Score): string =>
  evidence
    .slice(0, MAX_REASONS)
    .map(({ says, hits }) => `${says} (${hits})`)
    .join('; ');
