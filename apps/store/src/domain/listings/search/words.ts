/** Combining marks that are optional in writing: accents (Latin, Greek, Cyrillic), vowel points (Hebrew, Arabic). */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu;

/** Letters that Unicode does not decompose, and their common transliterations. */
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

/** Scripts without spaces between words, or between a word and its endings. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;

/** The word boundary within `PhotoPad`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Maximum characters of a word; a longer word is indexed by its start. */
const MAX_WORD = 32;

/**
 * Normalises a text for search: removes differences in letter case, accents, width and other forms of a letter (Unicode NFKC). Never fails:
 * a lone surrogate becomes U+FFFD, which is not a letter.
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

/** Overlapping pairs of characters (bigrams), as there is no dictionary of word boundaries: 東京都 is 東京 and 京都. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`);
}

/** Splits a run of letters into words: bigrams of scripts without spaces, and the rest unchanged. */
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

/** The normalised words of a text, in order. Every character other than letters, digits and pictographs separates words. */
export const wordsOf = (text: string): string[] => (fold(text).match(WORDS) ?? []).flatMap(splitRun);

/** The words to index for a text: its own, the parts of `PhotoPad`, and the last character of 東京 alone. */
export function indexedWordsOf(text: string): Set<string> {
  const words = new Set(wordsOf(text));
  for (const [run] of text.toWellFormed().matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const parts = run.split(HUMP);
    if (parts.length > 1) for (const word of parts.flatMap(wordsOf)) words.add(word);
  }
  for (const [run] of fold(text).matchAll(UNSPACED)) words.add([...run].at(-1) ?? run);
  return words;
}
