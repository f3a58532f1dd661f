import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../src/edit-distance.ts';

/** Reference implementation with a table. */
function byTable(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const rows = [Array.from({ length: right.length + 1 }, (_, n) => n)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= left.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      (rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1),
        i > 1 && j > 1 && isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(left.length, right.length);
}

describe('the edit distance of two texts', () => {
  it.each([
    ['notes', 'notes', 0],
    ['notes', 'note', 1],
    ['notes', 'nottes', 1],
    ['notes', 'nodes', 1],
    ['notes', 'ntoes', 1],
    ['calendar', 'calander', 2],
    ['calendar', 'kalender', 2],
    ['calendar', 'column', 3],
    ['a', 'abcdef', 3],
    ['🚀', '🚁', 1],
  ])('of %s and %s is %i', (a, b, edits) => {
    expect(editDistance(a, b, 2)).toBe(edits);
  });

  it('equals that of the reference implementation up to the maximum', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '京', '🚀'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (a, b, most) => {
        expect(editDistance(a, b, most)).toBe(Math.min(byTable(a, b), most + 1));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is limited to a cheap maximum', () => {
    expect(() => editDistance('a', 'b', 4)).toThrow(RangeError);
  });
});
