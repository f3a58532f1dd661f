import { expect, it } from 'vitest';
import { count, durationText, exactSizeText, sizeText, spanText } from '../src/quantity.ts';

it.each([
  [0, '0 files'],
  [1, '1 file'],
  [1_200, '1,200 files'],
])('counts %i', (n, text) => expect(count(n, 'file')).toBe(text));

it.each([
  [1, '1 byte'],
  [1_023, '1,023 bytes'],
  [1_024, '1.0 KiB'],
  [1024 * 1024 - 52, '1023.9 KiB'],
  [1024 * 1024 - 1, '1.0 MiB'],
  [26_214_400, '25.0 MiB'],
  [1024 ** 3 - 1, '1.0 GiB'],
  [2_000 * 1024 ** 3, '2000.0 GiB'],
])('a size of %i bytes is shown as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

it.each([
  [0, '0 bytes'],
  [1023, '1,023 bytes'],
  [1024, '1 KiB'],
  [1025, '1,025 bytes'],
  [20 * 1024 ** 2, '20 MiB'],
  [1024 ** 3, '1 GiB'],
  [1_100 * 1024 ** 2, '1,100 MiB'],
])('a limit of %i bytes is shown exactly, as %s', (bytes, text) => {
  expect(exactSizeText(bytes)).toBe(text);
});

it.each([
  [-1, 'under a minute'],
  [59_999, 'under a minute'],
  [60_000, '1 minute'],
  [100_000, '2 minutes'],
  [3_600_000, '1 hour'],
  [86_399_999, '24 hours'],
  [3.4 * 86_400_000, '3 days'],
])('a span of %d ms is shown as %s', (ms, text) => expect(spanText(ms)).toBe(text));

it.each([
  [42, '42 ms'],
  [16_940, '16.9 s'],
])('a measured time of %d ms is shown as %s', (ms, text) => expect(durationText(ms)).toBe(text));
