import { isNeededJoiner, isVariation } from './joiners.ts';

/**
 * Characters that are invisible, or change how the text around them is displayed: controls, lone surrogates, private use,
 * noncharacters, line and paragraph separators, default-ignorable characters (UAX 44), bidi controls (UAX 9) and
 * interlinear annotation. Other format characters, such as the Arabic number signs, are visible.
 */
const SUSPECT =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gu;

/** Fast path for most texts. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const PRINTABLE_LINES = /^[\x20-\x7e\n\t]*$/;

/** Characters that are suspect except in an emoji sequence: joiner, variation selectors, tags. */
const PART_OF_EMOJI = /[\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}]/u;

/**
 * Emoji sequences (UTS 51 section 1.4.9): flags, keycaps, styles, skin tones, joined sequences. Of tag sequences only the three
 * flags that Unicode recommends: tags can spell out any hidden text.
 */
const EMOJI_SEQUENCE =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[0-9#*][\ufe0e\ufe0f]\u20e3?|\p{Extended_Pictographic}\ufe0e|(?:\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f\p{EMod}?)?)(?:\u200d\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?)*/gu;

/** An invisible character and its index in UTF-16 code units. */
export type HiddenCharacter = { index: number; codePoint: number };

/** Invisible characters that a text may contain. */
export type TextKind = {
  /** Whether line feeds and tabs are allowed. */
  lines?: boolean;
};

function* emojiIn(text: string): Generator<{ from: number; to: number }> {
  for (const { 0: sequence, index } of text.matchAll(EMOJI_SEQUENCE))
    yield { from: index, to: index + sequence.length };
}

/** Returns a function that tells whether an index is inside an emoji sequence. Call it with ascending indexes. */
function emojiLookup(text: string): (index: number) => boolean {
  let sequences: Generator<{ from: number; to: number }> | undefined;
  let at: { from: number; to: number } | undefined;
  return (index) => {
    sequences ??= emojiIn(text);
    while (at === undefined || at.to <= index) {
      const next = sequences.next();
      if (next.done) return false;
      at = next.value;
    }
    return at.from <= index;
  };
}

/** Finds all invisible characters of a text, in order. */
export function* allHiddenIn(text: string, { lines = false }: TextKind = {}): Generator<HiddenCharacter> {
  if ((lines ? PRINTABLE_LINES : PRINTABLE_ASCII).test(text)) return;
  const isInEmoji = emojiLookup(text);
  for (const { 0: character, index } of text.matchAll(SUSPECT)) {
    if (lines && (character === '\n' || character === '\t')) continue;
    if (PART_OF_EMOJI.test(character) && isInEmoji(index)) continue;
    if (isNeededJoiner(text, index) || isVariation(text, index)) continue;
    yield { index, codePoint: character.codePointAt(0) ?? 0 };
  }
}

/**
 * Finds the first invisible character of a text, or null when there is none. Joiners and variation selectors are allowed where
 * their script or an emoji sequence needs them.
 */
export const hiddenIn = (text: string, kind: TextKind = {}): HiddenCharacter | null =>
  allHiddenIn(text, kind).next().value ?? null;

/** Whether a text is a single line without invisible characters. */
export const isPlainLine = (text: string): boolean => hiddenIn(text) === null;

/** Whether a text has no invisible characters except line feeds and tabs. */
export const isPlainText = (text: string): boolean => hiddenIn(text, { lines: true }) === null;

/** A visible character. A name of only spaces, controls, fillers and marks looks empty. */
const VISIBLE = /[^\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has visible characters. */
export const hasVisible = (text: string): boolean => VISIBLE.test(text);

/** A code point as Unicode writes it: `U+202E`. */
export const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
