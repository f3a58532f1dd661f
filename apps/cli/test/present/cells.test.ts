import { expect, it } from 'vitest';
import { cellOf, fitText } from '../../src/present/cells.ts';

it.each([
  { character: 'a', shown: 'a', width: 1 },
  { character: '\t', shown: '    ', width: 4 },
  { character: '語', shown: '語', width: 2 },
  { character: 'か', shown: 'か', width: 2 },
  { character: '한', shown: '한', width: 2 },
  { character: 'Ａ', shown: 'Ａ', width: 2 },
  { character: 'ｱ', shown: 'ｱ', width: 1 },
  { character: '。', shown: '。', width: 2 },
  { character: '😀', shown: '😀', width: 2 },
  { character: '\u0301', shown: '\u0301', width: 0 },
  { character: 'é', shown: 'é', width: 1 },
  { character: '\u001b', shown: '\\u001b', width: 6 },
  { character: '\u202e', shown: '\\u202e', width: 6 },
  { character: '\ufeff', shown: '\\ufeff', width: 6 },
  { character: '\ud83d', shown: '\\ud83d', width: 6 },
])('shows $character as $shown in $width columns', ({ character, shown, width }) => {
  expect(cellOf(character)).toEqual({ shown, width });
});

it.each([
  { text: 'short', columns: 5, fits: 'short' },
  { text: 'longer', columns: 5, fits: 'long…' },
  { text: '日本語', columns: 6, fits: '日本語' },
  { text: '日本語', columns: 5, fits: '日本…' },
  { text: '日本語', columns: 4, fits: '日…' },
  { text: 'a\u001b[31m', columns: 8, fits: 'a\\u001b…' },
  { text: '', columns: 5, fits: '' },
])('fits $text into $columns columns', ({ text, columns, fits }) => {
  expect(fitText(text, columns)).toBe(fits);
});
