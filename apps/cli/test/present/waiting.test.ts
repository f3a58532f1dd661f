import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import type { Terminal } from '../../src/io/terminal.ts';
import { clearWaiting, waitingLine } from '../../src/present/waiting.ts';
import { memoryTerminal } from '../support/command-context.ts';

const lineOf = (left: number, look: Partial<Terminal> = {}, columns = 80, now = 0) => {
  const { terminal, shown } = memoryTerminal(false, columns, { isScreen: true, ...look });
  waitingLine(terminal, now, left);
  return stripVTControlCharacters(shown.out).replace('\r', '');
};

it.each([
  { left: 600_000, shown: '10:00' },
  { left: 599_001, shown: '10:00' },
  { left: 65_000, shown: '1:05' },
  { left: 1, shown: '0:01' },
  { left: 0, shown: '0:00' },
  { left: -5_000, shown: '0:00' },
])('shows $left ms as $shown', ({ left, shown }) => {
  expect(lineOf(left)).toBe(`⠋ waiting for approval, ${shown} left`);
});

it('animates the spinner', () => {
  const ascii = [0, 100, 200, 300, 400].map((now) => lineOf(0, { unicode: false }, 80, now)[0]);
  expect(ascii.join('')).toBe('|/-\\|');
});

it.each([10, 20, 40])('fits into a line of %i columns without filling it', (columns) => {
  expect([...lineOf(600_000, {}, columns)].length).toBeLessThan(columns);
});

it('writes nothing without a terminal', () => {
  const { terminal, shown } = memoryTerminal();
  waitingLine(terminal, 0, 1_000);
  clearWaiting(terminal);
  expect(shown.out).toBe('');
});
