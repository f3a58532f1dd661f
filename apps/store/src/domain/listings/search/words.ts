/** RateLimitStore that a letter can be written without: accents (Latin, Greek, Cyrillic), vowel points (Hebrew, Arabic). */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu;

/** Letters that Unicode does not take apart, and that people type otherwise. */
const SPELT_OUT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ς: 'σ',
};
const SPELT_LETTERS = new RegExp(`[${Object.keys(SPELT_OUT).join('')}]`, 'gu');

/** One word: letters, digits and marks; or one pictograph. */
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;

/** Scripts that are written without spaces, or whose words grow endings without any. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;

/** Where one word ends and the next begins inside of `PhotoPad`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Nothing that anybody types is longer; a longer word is found by its start. */
const MAX_WORD = 32;

/**
 * A text without what people leave out or write differently: letter case, accents, width and other forms of a letter
 * (Unicode NFKC). Never fails: half a surrogate pair becomes U+FFFD, which is no letter.
 */
export const fold = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKD')
    .replace(OPTIONAL_MARKS, '')
    .toLowerCase()
    .replace(OPTIONAL_MARKS, '')
    .replace(SPELT_LETTERS, (letter) => SPELT_OUT[letter] ?? letter)
    .normalize('NFC');

const cut = (word: string): string => [...word].slice(0, MAX_WORD).join('');

/** Overlapping pairs of characters, as no dictionary says where words begin: 東京都 is 東京 and 京都. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`);
}

/** A run of letters as words: what is written without spaces comes in pairs, the rest of it as it is. */
function splitRun(run: string): string[] {
  const words: string[] = [];
  let from = 0;
  for (const { 0: unspaced, index } of run.matchAll(UNSPACED)) {
    if (index > from) words.push(cut(run.slice(from, index)));
    words.push(...pairsOf(unspaced));
    from = index + unspaced.length;
  }
  if (from < run.length) words.push(cut(run.slice(from)));
  return words;
}

/** The words of a text as they are looked for, in their order. Everything that is no letter, digit or pictograph parts them. */
export const wordsOf = (text: string): string[] => (fold(text).match(WORDS) ?? []).flatMap(splitRun);

/** The words by which a text is found: its own, the parts of `PhotoPad`, and the last character of 東京 by itself. */
export function foundBy(text: string): Set<string> {
  const found = new Set(wordsOf(text));
  for (const [run] of text.toWellFormed().matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const parts = run.split(HUMP);
    if (parts.length > 1) for (const word of parts.flatMap(wordsOf)) found.add(word);
  }
  for (const [run] of fold(text).matchAll(UNSPACED)) found.add([...run].at(-1) ?? run);
  return found;
}
