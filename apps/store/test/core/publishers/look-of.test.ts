import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALIKE, lookOf } from '../../../src/core/publishers/look-of.ts';

const text = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-rnmvwcl1i'),
  maxLength: 12,
});

/** Character sequences that look alike: each pair of the table, and `rn` and `m`. */
const pair = fc.constantFrom<readonly [string, string]>(
  ...ALIKE,
  ['rn', 'm'],
  ['rn', 'nn'],
  ['c1', 'd'],
  ['ci', 'cl'],
);

describe('the look of a slug', () => {
  it.each([
    ['acme', 'a-c-m-e'],
    ['acme', 'acrne'],
    ['acme', 'acnne'],
    ['acme', 'a-crn-e'],
    ['google', 'goog1e'],
    ['google', 'gooqle'],
    ['google', 'g00gle'],
    ['google', '9oogle'],
    ['client', 'c1ient'],
    ['client', 'dient'],
    ['wave', 'vvave'],
    ['modern', 'rnodem'],
    ['bob', '6o6'],
    ['zes', '2e5'],
    ['summer', 'surnrner'],
    ['nnn', 'mn'],
    ['nnn', 'nm'],
    ['rrn', 'rm'],
  ])('is the same for %s and %s', (a, b) => {
    expect(lookOf(a)).toBe(lookOf(b));
  });

  it.each([
    ['acme', 'acne'],
    ['notes', 'votes'],
    ['team', 'tear'],
    ['north', 'worth'],
    ['bird', 'bard'],
    ['ring', 'king'],
  ])('is different for %s and %s', (a, b) => {
    expect(lookOf(a)).not.toBe(lookOf(b));
  });

  it('is different for each number', () => {
    expect(new Set(Array.from({ length: 1_000 }, (_, n) => lookOf(`team-${n}`))).size).toBe(1_000);
  });

  it('is the same for lookalike characters within any text', () => {
    fc.assert(
      fc.property(text, pair, text, (before, [one, other], after) => {
        expect(lookOf(before + one + after)).toBe(lookOf(before + other + after));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is idempotent, so that a slug cannot avoid the check by being the look of another', () => {
    fc.assert(
      fc.property(text, (slug) => {
        expect(lookOf(lookOf(slug))).toBe(lookOf(slug));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
