import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/platform/plain-text.ts';

describe('text from outside', () => {
  it.each([
    ['a\r\n\tb', 'a b'],
    ['\u001b[31mred', '[31mred'],
    ['safe\u202Egpj.exe', 'safe gpj.exe'],
    ['zero\u200Bwidth\uFEFF', 'zero width'],
    ['line\u2028end', 'line end'],
    ['  é 漢字 🙂 ', 'é 漢字 🙂'],
    ['lone \ud800 half', 'lone half'],
  ])('%j is shown as %j', (text, shown) => {
    expect(plainText(text, 40)).toBe(shown);
  });

  it('is cut between characters', () => {
    expect(plainText('🙂'.repeat(10), 4)).toBe('🙂🙂🙂…');
    expect(plainText('x'.repeat(10_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('never holds what cannot be seen, and is never longer than said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const shown = plainText(text, most);
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect([...shown].length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
