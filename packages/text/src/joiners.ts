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
export function isNeededJoiner(text: string, index: number): boolean {
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
export function isVariation(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 2), index);
  const here = text.slice(index, index + 2);
  if (IDEOGRAPHIC_SELECTOR.test(here)) return IDEOGRAPH.test(before);
  return (
    MONGOLIAN_SELECTOR.test(here) && MONGOLIAN.test(before) && !MONGOLIAN_SELECTOR.test(before.slice(-1))
  );
}
