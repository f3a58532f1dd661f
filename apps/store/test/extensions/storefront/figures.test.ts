import { expect, it } from 'vitest';
import { installsOf, ratingOf } from '../../../src/extensions/storefront/figures.ts';

it.each([
  [1, '1 install'],
  [999, '999 installs'],
  [1_234, '1.2K installs'],
  [3_000_000, '3M installs'],
])('formats %i installs', (count, said) =>
  expect(String(installsOf(count))).toContain(`</svg>${said}</span>`),
);

it('shows nothing for zero installs or ratings', () => {
  expect(installsOf(0)).toBe('');
  expect(ratingOf({ average: 0, count: 0 })).toBe('');
});

it('describes a rating in words too', () => {
  expect(String(ratingOf({ average: 4.25, count: 12 }))).toContain('4.3 of 5 stars, 12 ratings');
});
