import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taglineOf } from '../../src/catalog/present.ts';

describe('taglineOf', () => {
  it.each([
    ['Keeps notes. And more.', 'Keeps notes.'],
    ['Keeps notes', 'Keeps notes'],
    ['Does it work? Yes.', 'Does it work?'],
    ['Works with example.com sites. Fast.', 'Works with example.com sites.'],
  ])('of %j is %j', (description, tagline) => {
    expect(taglineOf(description)).toBe(tagline);
  });

  it('cuts a long sentence at a word', () => {
    const tagline = taglineOf(`${'word '.repeat(40)}end.`);
    expect(tagline).toMatch(/^(word ?)+…$/);
    expect(tagline.length).toBeLessThanOrEqual(100);
  });

  it('is never over 100, and never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (description) => {
        const tagline = taglineOf(description);
        expect(tagline.length).toBeLessThanOrEqual(100);
        expect(tagline.isWellFormed()).toBe(description.isWellFormed() || tagline.isWellFormed());
      }),
    );
  });
});
