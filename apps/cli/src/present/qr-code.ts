import { encode } from 'uqr';
import type { Terminal } from '../io/terminal.ts';

/** Light modules around the code (ISO/IEC 18004, quiet zone). */
const QUIET = 4;

/** Black and white from the part of the 256 colours that themes do not change. */
const BLACK = 16;
const WHITE = 231;

/** Draws the upper half of a cell in the foreground colour, the lower half in the background colour. */
const UPPER_HALF = '▀';

const shade = (isDark: boolean | undefined): number => (isDark ? BLACK : WHITE);

/**
 * A QR code, two rows per line. Empty where it cannot be displayed: without a terminal, colours or Unicode, or when the terminal is
 * too narrow.
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
