import { encode } from 'uqr';
import { expect, it } from 'vitest';
import type { Terminal } from '../../src/io/terminal.ts';
import { qrCode } from '../../src/present/qr-code.ts';
import { memoryTerminal } from '../support/command-context.ts';

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
