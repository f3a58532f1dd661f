/** How many UTF-16 code units around a joiner are checked: few marks separate it from its letters. */
const AROUND = 16;

const VIRAMAS =
  '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed\u{10a3f}\u{11046}\u{1107f}\u{110b9}\u{11133}\u{11134}\u{111c0}\u{11235}\u{112ea}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1172b}\u{11839}\u{1193e}\u{119e0}\u{11a34}\u{11a47}\u{11a99}\u{11c3f}\u{11d44}\u{11d45}\u{11d97}';

/** Scripts whose letters join each other (UAX 44, Joining_Type). */
const JOINED =
  '[\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Mong}\\p{Script=Nkoo}\\p{Script=Phag}\\p{Script=Mand}\\p{Script=Mani}\\p{Script=Adlm}\\p{Script=Rohg}\\p{Script=Sogd}]';

/** A joining letter with its marks, at the end of the text before. */
const AFTER_JOINED = new RegExp(`(?=${JOINED})\\p{L}\\p{M}*$`, 'u');
const AFTER_VIRAMA = new RegExp(`\\p{L}\\p{M}*[${VIRAMAS}]$`, 'u');
/** Bengali, for one, writes RA, joiner, virama, YA (The Unicode Standard, section 12.2). */
const AFTER_LETTER = /\p{L}\p{M}*$/u;
const BEFORE_VIRAMA = new RegExp(`^[${VIRAMAS}]`, 'u');

const NON_JOINER = '\u200c';
const JOINER = '\u200d';

/**
 * Whether the character at `index` is a joiner that its script needs: after a virama, or among letters that join each other
 * (RFC 5892 appendix A.1 and A.2, UAX 31 section 2.3). Also at the end of a word, as Sorani spells its vowel heh.
 */
function isNeededJoiner(text: string, index: number): boolean {
  const character = text.charAt(index);
  if (character !== NON_JOINER && character !== JOINER) return false;
  const before = text.slice(Math.max(0, index - AROUND), index);
  const after = text.slice(index + 1, index + 1 + AROUND);
  if (AFTER_VIRAMA.test(before) || AFTER_JOINED.test(before)) return true;
  return character === JOINER && AFTER_LETTER.test(before) && BEFORE_VIRAMA.test(after);
}

/** A variation selector after the character whose shape it selects: an ideograph (UTS 37), or a Mongolian letter. */
const IDEOGRAPH = /\p{Ideographic}$/u;
const IDEOGRAPHIC_SELECTOR = /^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u;
const MONGOLIAN = /\p{Script=Mong}$/u;
const MONGOLIAN_SELECTOR = /^[\u180b-\u180f]/u;

/** Whether the character at `index` is a variation selector for the character before it. */
function isVariation(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 2), index);
  const here = text.slice(index, index + 2);
  if (IDEOGRAPHIC_SELECTOR.test(here)) return IDEOGRAPH.test(before);
  return (
    MONGOLIAN_SELECTOR.test(here) && MONGOLIAN.test(before) && !MONGOLIAN_SELECTOR.test(before.slice(-1))
  );
}

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
