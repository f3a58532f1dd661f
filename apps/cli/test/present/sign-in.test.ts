import { stripVTControlCharacters } from 'node:util';
import { encode } from 'uqr';
import { expect, it } from 'vitest';
import type { Terminal } from '../../src/io/terminal.ts';
import { qrCode, signInText } from '../../src/present/sign-in.ts';
import { signInOf } from '../../src/sign-in/request.ts';
import { memoryTerminal } from '../support/command-context.ts';
import { START } from '../support/device-store.ts';

const request = signInOf({ ...START, verifyUrl: 'https://store.example/device' }, 'https://store.example');
const elsewhere = signInOf({ ...START, verifyUrl: 'https://evil.example/' }, 'https://store.example');

const WORDS = (box: string) => `Open this page in a browser, on any device:

    https://store.example/device

and enter this code:

${box}
Or open this link, which contains the code:

    https://store.example/device?code=BCDF-GHJK

The code expires in 10 minutes.
`;

it('shows the code in a box, letter by letter', () => {
  const { terminal } = memoryTerminal();
  expect(signInText(terminal, request)).toBe(
    WORDS(`    ╭───────────────────────╮
    │                       │
    │   B C D F - G H J K   │
    │                       │
    ╰───────────────────────╯
`),
  );
});

it('draws the box in ASCII without Unicode support', () => {
  const { terminal } = memoryTerminal(false, 40, { unicode: false });
  expect(signInText(terminal, request)).toBe(
    WORDS(`    +-----------------------+
    |                       |
    |   B C D F - G H J K   |
    |                       |
    +-----------------------+
`),
  );
});

it('shows a QR code that fits a narrow terminal', () => {
  const { terminal } = memoryTerminal(true, 40, { isScreen: true });
  const lines = stripVTControlCharacters(signInText(terminal, request)).split('\n');
  expect(lines.filter((line) => line.includes('▀')).length).toBeGreaterThan(15);
  const tooWide = lines.filter((line) => line.length > 48 && !line.includes('https://'));
  expect(tooWide).toEqual([]);
});

it('shows no link and no QR code for a page of another host', () => {
  const { terminal } = memoryTerminal(true, 120, { isScreen: true });
  const text = signInText(terminal, elsewhere);
  expect(text).toContain('https://evil.example/');
  expect(text).not.toContain('?code=');
  expect(text).not.toContain('▀');
});

const TEXT = 'https://store.example/device?code=BCDF-GHJK';

const draw = (look: Partial<Terminal> = {}, columns = 80) =>
  qrCode(memoryTerminal(true, columns, { isScreen: true, ...look }).terminal, TEXT);

/** The pixels of the drawing: whether each half of each cell is black. */
function seen(drawn: string): boolean[][] {
  const CELL = /38;5;(\d+);48;5;(\d+)m▀/g;
  return drawn
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const cells = [...line.matchAll(CELL)].map(([, upper, lower]) => [upper === '16', lower === '16']);
      return [cells.map(([upper]) => upper === true), cells.map(([, lower]) => lower === true)];
    });
}

it('draws the code in black on white in every theme, with a border of four light modules', () => {
  const rows = seen(draw());
  const { data } = encode(TEXT, { ecc: 'L', border: 4 });
  expect(rows.slice(0, data.length)).toEqual(data);
  expect(rows.slice(0, 4).flat()).not.toContain(true);
  expect(rows.flatMap((row) => row.slice(0, 4))).not.toContain(true);
  expect(rows.flat()).toContain(true);
});

it('resets the colours at the end of every line', () => {
  for (const line of draw().trimEnd().split('\n')) expect(line.endsWith('\u001b[0m')).toBe(true);
});

it('is empty when the terminal is too narrow', () => {
  const width = seen(draw())[0]?.length ?? 0;
  expect(draw({}, width)).not.toBe('');
  expect(draw({}, width - 1)).toBe('');
});

it.each([{ isScreen: false }, { colour: false }, { unicode: false }])(
  'is empty on a terminal that cannot show it: %o',
  (look) => {
    expect(draw(look)).toBe('');
  },
);
