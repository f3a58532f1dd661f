import { expect, it } from 'vitest';
import { canDraw } from '../../../src/core/pictures/preview-font.ts';

it.each([
  'Notes',
  'Crème Brûlée Recipes',
  'Straßenatlas',
  'Smørrebrød',
  'Погода сегодня',
  'Καλημέρα',
  'Tiếng Việt',
  'A & B <c>',
])('can draw %s', (text) => {
  expect(canDraw(text)).toBe(true);
});

it.each([
  '東京ガイド',
  '서울 지하철 지도',
  'تقويم هجري',
  'עברית',
  'อาหารไทย',
  'हिन्दी',
  'Rocket 🚀',
  'a\u0007b',
  'a\u{10ffff}',
])('cannot draw %s', (text) => {
  expect(canDraw(text)).toBe(false);
});
