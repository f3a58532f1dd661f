import { allHiddenIn } from './hidden.ts';

const SPACES = /\s+/gu;

/** Replaces each invisible character of a text. */
export function mapHidden(text: string, lines: boolean, nameOf: (character: string) => string): string {
  let result = '';
  let last = 0;
  for (const { index, codePoint } of allHiddenIn(text, { lines })) {
    const character = String.fromCodePoint(codePoint);
    result += text.slice(last, index) + nameOf(character);
    last = index + character.length;
  }
  return last === 0 ? text : result + text.slice(last);
}

/** Replaces each invisible character of a text by the same text, for file names. */
export const replaceHidden = (text: string, by: string): string => mapHidden(text, false, () => by);

/**
 * Cleans untrusted text to a single line without line breaks, invisible characters and bidi controls. For text from
 * other services, which cannot be corrected here; use `hiddenIn` to refuse text that users type.
 * @param maxLength longest result, in characters
 */
export function cleanLine(text: string, maxLength: number): string {
  // Cut before the regular expressions run: a server may send a megabyte.
  const line = replaceHidden(text.slice(0, 4 * maxLength), ' ')
    .replace(SPACES, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}
