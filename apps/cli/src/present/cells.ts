import { escapeText } from './text.ts';

/** A character as displayed; control and format characters are escaped. */
export type Cell = {
  shown: string;
  /** Width in terminal columns. */
  width: number;
};

const TAB = '\t';

/** Columns of a tab: fixed, so that cutting text before it does not change its width. */
const TAB_WIDTH = 4;

const COMBINING = /^\p{M}$/u;

/**
 * Characters that terminals show in two columns: scripts and ranges that are Wide or Fullwidth in East_Asian_Width (UAX #11), and
 * emoji. Regular expressions do not support East_Asian_Width, hence scripts and ranges.
 */
const WIDE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\u31f0-\u31ff\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})$/u;

/** Half-width forms of these scripts. */
const HALF_WIDTH = /^[\uff61-\uffdc]$/;

const isPlainAscii = (character: string): boolean => character >= ' ' && character <= '~';

/** The displayed form of a character. */
export function cellOf(character: string): Cell {
  if (isPlainAscii(character)) return { shown: character, width: 1 };
  if (character === TAB) return { shown: ' '.repeat(TAB_WIDTH), width: TAB_WIDTH };
  const shown = escapeText(character);
  if (shown !== character) return { shown, width: shown.length };
  if (COMBINING.test(character)) return { shown, width: 0 };
  return { shown, width: WIDE.test(character) && !HALF_WIDTH.test(character) ? 2 : 1 };
}

/** Escapes a text and limits it to `columns`; a longer text ends in `…`. */
export function fitText(text: string, columns: number): string {
  let shown = '';
  let remaining = columns;
  /** Length of `shown` when there was still room for the ellipsis. */
  let cut = 0;
  for (const character of text) {
    const cell = cellOf(character);
    if (remaining < cell.width) return `${shown.slice(0, cut)}…`;
    shown += cell.shown;
    remaining -= cell.width;
    if (remaining >= 1) cut = shown.length;
  }
  return shown;
}
