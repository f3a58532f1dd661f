import { allHiddenIn } from './hidden.ts';

const SPACES = /\s+/gu;

/** A text in which each character that is not seen is replaced. */
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

/** A text in which the same text stands in place of each character that is not seen: for names of files. */
export const replaceHidden = (text: string, by: string): string => mapHidden(text, false, () => by);

/**
 * Text from outside as one line in which nothing breaks lines, hides, or turns the direction of what follows: for what
 * another service sends, which cannot be corrected here. What people type is refused with `hiddenIn` instead.
 * @param most longest result, in characters
 */
export function cleanLine(text: string, most: number): string {
  // Cut before the patterns run over it: a server may send a megabyte.
  const line = replaceHidden(text.slice(0, 4 * most), ' ')
    .replace(SPACES, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}
