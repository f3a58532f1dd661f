import { expect, it } from 'vitest';
import { installsOf, ratingOf, sizeOf } from '../../../src/features/storefront/figures.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1024 * 1024 - 1, '1024 KiB'],
  [25 * 1024 * 1024, '25.0 MiB'],
])('formats %i bytes with a unit', (bytes, said) => expect(sizeOf(bytes)).toBe(said));

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
