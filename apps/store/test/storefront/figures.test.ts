import { expect, it } from 'vitest';
import { installsOf, ratingOf, sizeOf } from '../../src/storefront/figures.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1024 * 1024 - 1, '1024 KiB'],
  [25 * 1024 * 1024, '25.0 MiB'],
])('says %i bytes in a unit for people', (bytes, said) => expect(sizeOf(bytes)).toBe(said));

it.each([
  [1, '1 install'],
  [999, '999 installs'],
  [1_234, '1.2K installs'],
  [3_000_000, '3M installs'],
])('says %i installs', (count, said) => expect(String(installsOf(count))).toContain(`</svg>${said}</span>`));

it('says nothing of installs or stars where there are none', () => {
  expect(installsOf(0)).toBe('');
  expect(ratingOf({ average: 0, count: 0 })).toBe('');
});

it('says stars in words too', () => {
  expect(String(ratingOf({ average: 4.25, count: 12 }))).toContain('4.3 of 5 stars, 12 ratings');
});
