/**
 * Characters that show nothing, or turn the order of others around: what a reader sees is then not what a machine reads
 * (CVE-2021-42574). U+FE0F only picks the picture of an emoji.
 */
const HIDDEN = /(?!\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text as a reviewer must see it: with a name in the place of each character that cannot be seen. Tabs stay. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => (character === '\t' ? character : nameOf(character)));

/** The same for a text of several lines. */
export const visibleLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map(visible)
    .join('\n');
