import { createColors } from 'picocolors';
import { encode } from 'uqr';
import type { Terminal } from '../io/terminal.ts';
import type { SignInRequest } from '../sign-in/request.ts';
import { escapeText } from './escape.ts';
import { count } from './fields.ts';

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

const MINUTE = 60_000;

/** The user code in a box, with spaced letters. */
function codeBox({ unicode, colour }: Terminal, code: string): string {
  const { bold } = createColors(colour);
  const [topLeft, topRight, bottomLeft, bottomRight, flat, upright] = unicode ? '╭╮╰╯─│' : '++++-|';
  const letters = `   ${[...code].join(' ')}   `;
  const line = flat?.repeat(letters.length);
  const empty = `${upright}${' '.repeat(letters.length)}${upright}`;
  return [
    `${topLeft}${line}${topRight}`,
    empty,
    `${upright}${bold(letters)}${upright}`,
    empty,
    `${bottomLeft}${line}${bottomRight}`,
  ]
    .map((row) => `    ${row}\n`)
    .join('');
}

/**
 * The instructions to approve a sign-in: the page, the code, and a QR code. A page that is not on the host of the store is shown
 * without direct link and QR code, so that the user reads its address first.
 */
export function signInText(terminal: Terminal, request: SignInRequest): string {
  const { bold } = createColors(terminal.colour);
  const page = bold(escapeText(request.page));
  const box = codeBox(terminal, request.userCode);
  const question = `Open this page in a browser, on any device:\n\n    ${page}\n\nand enter this code:\n\n${box}\n`;
  // A terminal shows the remaining time instead.
  const minutes = count(Math.ceil(request.expiresInMs / MINUTE), 'minute');
  const limit = terminal.isScreen ? '' : `The code expires in ${minutes}.\n`;
  if (!request.isOwnPage) return `${question}${limit}`;
  const scan = qrCode(terminal, request.pageWithCode);
  const direct = `Or open this link, which contains the code:\n\n    ${escapeText(request.pageWithCode)}\n\n`;
  return `${question}${direct}${scan && `Or scan this QR code:\n\n${scan}\n`}${limit}`;
}
