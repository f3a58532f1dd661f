import { escapeText } from './escape.ts';

/** A character as it is shown: its escape when it could do more than be seen. */
export type Cell = {
  shown: string;
  /** Columns of a terminal that it takes. */
  width: number;
};

const TAB = '\t';

/** Columns that a tab is shown as. One width wherever it stands: what is cut off before it cannot move it then. */
const TAB_WIDTH = 4;

const COMBINING = /^\p{M}$/u;

/**
 * What terminals show in two columns: the scripts and ranges that are Wide or Fullwidth in East_Asian_Width (UAX #11), and
 * pictures. Regular expressions know no East_Asian_Width, hence scripts and ranges.
 */
const WIDE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\u31f0-\u31ff\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})$/u;

/** Forms of these scripts that are as narrow as Latin letters. */
const HALF_WIDTH = /^[\uff61-\uffdc]$/;

const isPlainAscii = (character: string): boolean => character >= ' ' && character <= '~';

/** How a character is shown. */
export function cellOf(character: string): Cell {
  if (isPlainAscii(character)) return { shown: character, width: 1 };
  if (character === TAB) return { shown: ' '.repeat(TAB_WIDTH), width: TAB_WIDTH };
  const shown = escapeText(character);
  if (shown !== character) return { shown, width: shown.length };
  if (COMBINING.test(character)) return { shown, width: 0 };
  return { shown, width: WIDE.test(character) && !HALF_WIDTH.test(character) ? 2 : 1 };
}

/** The text, escaped, and no wider than `columns`: what does not fit ends in `…`. */
export function fitText(text: string, columns: number): string {
  let shown = '';
  let left = columns;
  /** How long `shown` was when there was still room for the mark that something is missing. */
  let cut = 0;
  for (const character of text) {
    const cell = cellOf(character);
    if (left < cell.width) return `${shown.slice(0, cut)}…`;
    shown += cell.shown;
    left -= cell.width;
    if (left >= 1) cut = shown.length;
  }
  return shown;
}
