import { expect, it } from 'vitest';
import { roundHead } from '../../src/present/watching.ts';
import { memoryTerminal } from '../support/command-context.ts';

const { terminal } = memoryTerminal();
const context = { terminal };
const now = () => new Date(2026, 0, 2, 3, 4, 5);

it('separates checks with the time', () => {
  expect(roundHead({ ...context, now }, ['app'])).toBe('--- 03:04:05 ---\n');
});

it('clears a terminal, and escapes paths', () => {
  const screen = { ...terminal, isScreen: true };
  expect(roundHead({ ...context, terminal: screen, now }, ['a\u001b[0m'])).toBe(
    '\u001b[2J\u001b[3J\u001b[H03:04:05  watching a\\u001b[0m; Ctrl-C to stop\n\n',
  );
});
