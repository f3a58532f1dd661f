import { encode } from 'uqr';
import type { Terminal } from '../io/terminal.ts';

/** Light modules around the code (ISO/IEC 18004, quiet zone). */
const QUIET = 4;

/** Black on white out of the part of the 256 colours that no theme changes: a screen may be dark or light. */
const BLACK = 16;
const WHITE = 231;

/** The upper half of a cell is drawn in the colour of the text, the lower one in that of the ground. */
const UPPER_HALF = '▀';

const shade = (isDark: boolean | undefined): number => (isDark ? BLACK : WHITE);

/**
 * A code to scan, two rows of it in one line. Nothing where it could not be read: on what is no screen or too narrow, and
 * without the colours and the half blocks that it is drawn with.
 */
export function qrCode({ isScreen, colour, unicode, columns }: Terminal, text: string): string {
  if (!isScreen || !colour || !unicode) return '';
  const { data } = encode(text, { ecc: 'L', border: QUIET });
  if (data.length > columns) return '';
  const lines: string[] = [];
  for (let row = 0; row < data.length; row += 2) {
    const upper = data[row] ?? [];
    const lower = data[row + 1] ?? [];
    const cells = upper.map(
      (isDark, column) => `\u001b[38;5;${shade(isDark)};48;5;${shade(lower[column])}m${UPPER_HALF}`,
    );
    lines.push(`${cells.join('')}\u001b[0m\n`);
  }
  return lines.join('');
}
