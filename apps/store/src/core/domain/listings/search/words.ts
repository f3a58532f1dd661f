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

/** One word: letters, digits and marks; or one pictograph, or one flag. */
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}|\p{RI}{2}/gu;

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

/** Words that many users write as one: `Wi-Fi`, `e-mail`, `R&D`. */
const CONNECTED = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]+(?:[-\u2010-\u2013.'’&_][\p{L}\p{N}\p{M}]+)+/gu;

/** Names of which a sign is the distinctive part, and how they are spelt without it. */
const SIGNS: Readonly<Record<string, string>> = {
  'c#': 'csharp',
  'f#': 'fsharp',
  'c++': 'cpp',
  '.net': 'dotnet',
};
const SIGNED = /(?<![\p{L}\p{N}])(?:[cf]#|c\+\+|\.net(?![\p{L}\p{N}]))/giu;

/** The two syllabaries of Japanese have the same order, at a distance of 96: users type the first, names are in the second. */
const HIRAGANA = /[\u3041-\u3096]/g;
const KATAKANA = /[\u30a1-\u30f6]/g;
const shifted = (letter: string, by: number): string => String.fromCharCode(letter.charCodeAt(0) + by);

/** Other spellings of words of a text. */
function spellingsOf(text: string): string[] {
  const folded = fold(text);
  return [
    ...Array.from(text.matchAll(CONNECTED), ([run]) => run.replace(/[^\p{L}\p{N}\p{M}]/gu, '')),
    ...Array.from(text.matchAll(SIGNED), ([name]) => SIGNS[name.toLowerCase()] ?? ''),
    // The article of Arabic is a part of the word.
    ...Array.from(folded.matchAll(/(?<!\p{L})ال(\p{L}{3,})/gu), ([, word = '']) => word),
    folded.replace(HIRAGANA, (letter) => shifted(letter, 0x60)),
    folded.replace(KATAKANA, (letter) => shifted(letter, -0x60)),
  ].filter((other) => other !== folded);
}

/** Neighbouring words of a name as one word: `hexeditor` finds Hex Editor. Not of scripts without spaces. */
export function joinsOf(words: readonly string[]): string[] {
  const joins = words.slice(1).map((word, n) => `${words[n]}${word}`);
  return joins.filter((word) => /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d]+$/u.test(word)).map(cut);
}

/** The words to index for a text: its own, the parts of `PhotoPad`, the last character of 東京 alone, and other spellings. */
export function indexedWordsOf(written: string): Set<string> {
  const text = written.toWellFormed();
  const words = new Set([text, ...spellingsOf(text)].flatMap(wordsOf));
  for (const [run] of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const parts = run.split(HUMP);
    if (parts.length > 1) for (const word of parts.flatMap(wordsOf)) words.add(word);
  }
  for (const [run] of fold(text).matchAll(UNSPACED)) words.add([...run].at(-1) ?? run);
  return words;
}
