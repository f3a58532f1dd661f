/** Characters that show nothing, or turn the order of others around (CVE-2021-42574). */
const HIDDEN = /(?!\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const KEPT = new Set(['\t', '\n', '\r']);

const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text of strangers as a person must see it before agreeing to it: with a name for each character that cannot be seen. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => (KEPT.has(character) ? character : nameOf(character)));
