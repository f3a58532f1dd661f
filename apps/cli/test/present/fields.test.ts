import { expect, it } from 'vitest';
import { count, fieldLines, headline, sizeOf } from '../../src/present/fields.ts';
import { memoryTerminal } from '../support/command-context.ts';

it('aligns values, and leaves out missing ones', () => {
  const { terminal } = memoryTerminal();
  const lines = fieldLines(terminal, [
    ['a', 'one\n'],
    ['long', ['x', 'y']],
    ['none', []],
    ['gone', undefined],
  ]);
  expect(lines).toBe('  a     one\\n\n  long  x, y\n  none  none\n');
});

it('uses colours only when enabled', () => {
  expect(headline(memoryTerminal(true).terminal, 'bad', 'rejected', 'x')).toContain('\u001b[31m');
  expect(headline(memoryTerminal(false).terminal, 'bad', 'rejected', 'x')).toBe('rejected  x\n');
});

it.each([
  [0, '0 bytes'],
  [1_536, '1.5 KiB (1,536 bytes)'],
  [26_214_400, '25.0 MiB (26,214,400 bytes)'],
])('writes %d bytes as %s', (bytes, shown) => {
  expect(sizeOf(bytes)).toBe(shown);
});

it('counts', () => {
  expect([count(1, 'file'), count(2, 'file')]).toEqual(['1 file', '2 files']);
});
