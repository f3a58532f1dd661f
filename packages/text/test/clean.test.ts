import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanLine } from '../src/clean.ts';
import { isPlainLine } from '../src/hidden.ts';

it.each([
  ['plain', 'plain'],
  ['  spaces   between ', 'spaces between'],
  ['two\nlines\tand a tab', 'two lines and a tab'],
  ['\u001b[31mred', '[31mred'],
  ['safe\u202Egpj.exe', 'safe gpj.exe'],
  ['zero\u200Bwidth\uFEFF', 'zero width'],
  ['line\u2028end', 'line end'],
  ['می\u200cخواهم', 'می\u200cخواهم'],
])('cleans %j', (text, shown) => expect(cleanLine(text, 40)).toBe(shown));

it('cuts between characters, without processing megabytes', () => {
  expect(cleanLine('🙂'.repeat(10), 4)).toBe('🙂🙂🙂…');
  expect(cleanLine('x'.repeat(10_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
});

it('returns a single line for any input', () => {
  fc.assert(
    fc.property(anyText(), fc.integer({ min: 1, max: 50 }), (text, most) => {
      const shown = cleanLine(text, most);
      expect(isPlainLine(shown)).toBe(true);
      expect([...shown].length).toBeLessThanOrEqual(most);
    }),
  );
});
