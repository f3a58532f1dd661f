import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taglineOf } from '../../../../src/core/domain/listings/tagline.ts';

describe('taglineOf', () => {
  it.each([
    ['Keeps notes. And more.', 'Keeps notes.'],
    ['Keeps notes', 'Keeps notes'],
    ['Does it work? Yes.', 'Does it work?'],
    ['Works with example.com sites. Fast.', 'Works with example.com sites.'],
    ['  \n Keeps notes. And more.', 'Keeps notes.'],
    ['\n\nKeeps notes.', 'Keeps notes.'],
    ['Keeps\nyour  notes.\nAnd more.', 'Keeps your notes.'],
    ['Field Notes\n\nKeeps notes.', 'Field Notes'],
    ['Asks Dr. Watson for you. And Mr. Holmes.', 'Asks Dr. Watson for you.'],
    ['Pictures of St. Moritz and Mt. Everest. Free.', 'Pictures of St. Moritz and Mt. Everest.'],
    ['Novels by J. R. R. Tolkien. All of them.', 'Novels by J. R. R. Tolkien.'],
    ['Tides of the U.S. West Coast. Daily.', 'Tides of the U.S. West Coast.'],
    ['Files, e.g. PDF and Word. Sorted.', 'Files, e.g. PDF and Word.'],
    ['Plays Symphony No. 5 for you. Loud.', 'Plays Symphony No. 5 for you.'],
    ['... Keeps notes. And more.', '... Keeps notes.'],
    ['!', '!'],
    ['🎉 Parties! And more.', '🎉 Parties!'],
    ['メモを残す。写真も。', 'メモを残す。'],
    ['', ''],
    [' \n ', ''],
  ])('of %j is %j', (description, tagline) => {
    expect(taglineOf(description)).toBe(tagline);
  });

  it('cuts a long sentence at a word', () => {
    const tagline = taglineOf(`${'word '.repeat(40)}end.`);
    expect(tagline).toMatch(/^(word ?)+…$/);
    expect(tagline.length).toBeLessThanOrEqual(100);
  });

  it('cuts a long word', () => {
    expect(taglineOf('x'.repeat(300))).toBe(`${'x'.repeat(99)}…`);
    expect(taglineOf(`See ${'x'.repeat(300)}`)).toBe(`See ${'x'.repeat(95)}…`);
    expect(taglineOf('😀'.repeat(100))).toBe(`${'😀'.repeat(49)}…`);
    expect(taglineOf(`e${'\u0301'.repeat(200)}`)).toBe(`e${'\u0301'.repeat(98)}…`);
    expect(taglineOf(`😀${'🏻'.repeat(60)}`)).toBe(`😀${'🏻'.repeat(48)}…`);
  });

  it('has at most 100 characters, is well-formed, and is empty only for an empty description', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (description) => {
        const tagline = taglineOf(description);
        expect(tagline.length).toBeLessThanOrEqual(100);
        expect(tagline.isWellFormed()).toBe(true);
        expect(tagline === '').toBe(description.trim() === '');
        expect(tagline).not.toMatch(/[\n\r]/);
      }),
    );
  });

  it('has at most 100 characters, and no more lone surrogates than the description', () => {
    const loneIn = (text: string) => text.match(/\p{Cs}/gu)?.length ?? 0;
    const piece = fc.oneof(
      fc.constantFrom('\ud83d', '\ude00', '😀', '. ', ' ', '\n'),
      fc.string({ maxLength: 30 }),
    );
    let malformed = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
        const description = pieces.join('');
        if (!description.isWellFormed()) malformed += 1;
        const tagline = taglineOf(description);
        expect(tagline.length).toBeLessThanOrEqual(100);
        expect(loneIn(tagline)).toBeLessThanOrEqual(loneIn(description));
      }),
    );
    expect(malformed).toBeGreaterThan(10);
  });
});
