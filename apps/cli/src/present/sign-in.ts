import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import type { SignInRequest } from '../sign-in/request.ts';
import { escapeText } from './escape.ts';
import { count } from './fields.ts';
import { qrCode } from './qr-code.ts';

const MINUTE = 60_000;

/** The code in a box, its letters apart. */
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
 * Asks the person to approve, in words, with the code, and with one to scan. A page that is not the store's own is named,
 * but nobody is led there without having read where.
 */
export function signInText(terminal: Terminal, request: SignInRequest): string {
  const { bold } = createColors(terminal.colour);
  const page = bold(escapeText(request.page));
  const box = codeBox(terminal, request.userCode);
  const question = `Open this page in a browser, on whatever device:\n\n    ${page}\n\nand enter this code:\n\n${box}\n`;
  // A screen shows how much time there is as it passes.
  const minutes = count(Math.ceil(request.expiresInMs / MINUTE), 'minute');
  const limit = terminal.isScreen ? '' : `The code expires in ${minutes}.\n`;
  if (!request.isOwnPage) return `${question}${limit}`;
  const scan = qrCode(terminal, request.pageWithCode);
  const direct = `The code is filled in at:\n\n    ${escapeText(request.pageWithCode)}\n\n`;
  return `${question}${direct}${scan && `or scan this:\n\n${scan}\n`}${limit}`;
}
