import { runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import { editDistance } from '@svc/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  indexedSpellingsOf,
  maxEdits,
  spellingsOf,
} from '../../../../../src/core/domain/listings/search/spelling.ts';

describe('spelling', () => {
  it.each([
    ['pdf', 0],
    ['note', 1],
    ['pictures'.slice(0, 7), 1],
    ['calendar', 2],
    ['東京都庁', 1],
  ])('allows, for the word %s, %i edits', (word, most) => {
    expect(maxEdits(word)).toBe(most);
  });

  const letter = fc.constantFrom('a', 'b', 'c', 'd', 'é', '京', '🚀');
  const word = fc.string({ unit: letter, minLength: 4, maxLength: 12 });
  const edit = fc.record({
    at: fc.nat(12),
    letter,
    kind: fc.constantFrom('more', 'less', 'other', 'swap'),
  });

  function misspell(
    text: string,
    { at, letter, kind }: { at: number; letter: string; kind: string },
  ): string {
    const letters = [...text];
    const n = at % letters.length;
    if (kind === 'more') letters.splice(n, 0, letter);
    if (kind === 'less') letters.splice(n, 1);
    if (kind === 'other') letters[n] = letter;
    if (kind === 'swap') letters.splice(n, 2, ...letters.slice(n, n + 2).reverse());
    return letters.join('');
  }

  it('gives a word and each of its accepted misspellings a common spelling', () => {
    fc.assert(
      fc.property(word, fc.array(edit, { maxLength: 2 }), (right, edits) => {
        const typed = edits.reduce(misspell, right);
        fc.pre(editDistance(typed, right, 2) <= maxEdits(typed));
        expect(
          spellingsOf(typed).intersection(indexedSpellingsOf(right)).size,
          `${typed} ${right}`,
        ).toBeGreaterThan(0);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('gives a word at most 29 spellings, as a statement has a limit', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 64 }), (any) => {
        expect(spellingsOf(any).size).toBeLessThanOrEqual(29);
        expect(indexedSpellingsOf(any).size).toBeLessThanOrEqual(29);
      }),
    );
  });
});
