import { runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fold,
  indexedWordsOf,
  joinsOf,
  wordsOf,
} from '../../../../../src/core/domain/listings/search/words.ts';

describe('the words of a text', () => {
  it.each([
    ['Pixel Forge', ['pixel', 'forge']],
    ['  a-b_c.d/e ', ['a', 'b', 'c', 'd', 'e']],
    ['Crème BRÛLÉE', ['creme', 'brulee']],
    ['Straße STRAẞE', ['strasse', 'strasse']],
    ['Łódź Ærø', ['lodz', 'aero']],
    ['İstanbul ISTANBUL ıssız', ['istanbul', 'istanbul', 'issiz']],
    ['ＦＵＬＬ ﬁne ①', ['full', 'fine', '1']],
    ['Погода ЁЖ', ['погода', 'еж']],
    ['ΚΑΛΗΜΕΡΑ Καλημέρας', ['καλημερα', 'καλημερασ']],
    ['تَقْوِيم', ['تقويم']],
    ['東京都', ['東京', '京都']],
    ['東', ['東']],
    ['東京 guide', ['東京', 'guide']],
    ['iPhone東京', ['iphone', '東京']],
    ['지하철', ['지하', '하철']],
    ['ガイド ｶﾞｲﾄﾞ', ['ガイ', 'イド', 'ガイ', 'イド']],
    ['🚀 rocket', ['🚀', 'rocket']],
    ['Züge 🇩🇪🇫🇷', ['zuge', '🇩🇪', '🇫🇷']],
    ['हिन्दी', ['हिन्दी']],
    ['"AND" OR* (NEAR) %_\\', ['and', 'or', 'near']],
    ['\0 \ud800', []],
  ])('%j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are cut at 32 characters', () => {
    expect(wordsOf('x'.repeat(500))).toEqual(['x'.repeat(32)]);
  });

  const text = fc.oneof(anyText({ maxLength: 60 }), fc.string({ maxLength: 60 }));

  it('are the same for any Unicode normalization form, contain no space, and are well-formed', () => {
    fc.assert(
      fc.property(text, (any) => {
        const words = wordsOf(any);
        expect(wordsOf(any.toWellFormed().normalize('NFD'))).toEqual(words);
        for (const word of words) {
          expect(word).toMatch(/^[^\s\0]+$/u);
          expect(word.isWellFormed()).toBe(true);
          expect([...word].length).toBeLessThanOrEqual(32);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('are all indexed', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect([...indexedWordsOf(any)]).toEqual(expect.arrayContaining(wordsOf(any)));
      }),
    );
  });

  it('are indexed also by their camel-case parts, and by the last character of CJK text', () => {
    expect(indexedWordsOf('PhotoDesk')).toEqual(new Set(['photodesk', 'photo', 'desk']));
    expect(indexedWordsOf('東京')).toEqual(new Set(['東京', '京']));
  });

  it.each([
    ['Wi-Fi', ['wi', 'fi', 'wifi']],
    ['Node.js', ['node', 'js', 'nodejs']],
    ['Today’s', ['today', 's', 'todays']],
    ['R&D', ['r', 'd', 'rd']],
    ['C# C++ .NET', ['c', 'net', 'csharp', 'cpp', 'dotnet']],
    ['a.net c#m', ['a', 'net', 'anet', 'c', 'm', 'csharp']],
    ['メモ', ['メモ', 'めも', 'モ']],
    ['めも', ['めも', 'メモ', 'も']],
    ['الترجمة', ['الترجمة', 'ترجمة']],
  ])('are indexed also as they are spelt otherwise: %s', (text, words) =>
    expect(indexedWordsOf(text)).toEqual(new Set(words)),
  );

  it('are joined with their neighbours, in scripts with spaces between words', () => {
    expect(joinsOf(wordsOf('Hex Editor 2'))).toEqual(['hexeditor', 'editor2']);
    expect(joinsOf(wordsOf('東京都 🚀 map'))).toEqual([]);
    expect(joinsOf(['x'.repeat(32), 'y'])).toEqual(['x'.repeat(32)]);
  });

  it('do not change when they are folded twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (any) => {
        expect(fold(fold(any))).toBe(fold(any));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
