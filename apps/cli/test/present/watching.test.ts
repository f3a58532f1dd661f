import { expect, it } from 'vitest';
import { roundHead } from '../../src/present/watching.ts';
import { memoryTerminal } from '../support/command-context.ts';

const { terminal } = memoryTerminal();
const world = { terminal };
const now = () => new Date(2026, 0, 2, 3, 4, 5);

it('sets checks apart by the time', () => {
  expect(roundHead({ ...world, now }, ['app'])).toBe('--- 03:04:05 ---\n');
});

it('clears a screen, and lets no path speak to it', () => {
  const screen = { ...terminal, isScreen: true };
  expect(roundHead({ ...world, terminal: screen, now }, ['a\u001b[0m'])).toBe(
    '\u001b[2J\u001b[3J\u001b[H03:04:05  watching a\\u001b[0m; Ctrl-C ends\n\n',
  );
});
