import { describe, expect, it } from 'vitest';
import { svgSides, undrawableReason } from '../../src/pictures/picture.ts';
import { cpuMs } from '../support.ts';

describe('svgSides', () => {
  it.each([
    ['', '', '0 0 24 12', [24, 12]],
    ['', '', ' -1,-2.5 , 24.5 1e2\n', [24.5, 100]],
    ['512', '512', '', [512, 512]],
    ['512px', '512', '0 0 1 2', [512, 512]],
    [' 10mm ', '10MM', '', [10, 10]],
    ['.5em', '1.em', '', [0.5, 1]],
    ['10mm', '10in', '0 0 1 2', [1, 2]],
    ['100%', '100%', '0 0 3 4', [3, 4]],
    ['512', '', '0 0 3 4', [3, 4]],
    ['0', '0', '0 0 3 4', [3, 4]],
    ['auto', '-5', '0 0 3 4', [3, 4]],
    ['calc(1px)', '1e999', '0 0 3 4', [3, 4]],
  ] as const)('reads width %j, height %j, viewBox %j', (width, height, viewBox, [across, down]) =>
    expect(svgSides(width, height, viewBox)).toEqual({ width: across, height: down }),
  );

  it.each([
    '',
    '0 0 24',
    '0 0 24 24 24',
    '0 0 0 0',
    '0 0 -1 -1',
    '0 0 0x10 0x10',
    '0 0 NaN 1',
    '0 0 1e999 1e999',
    '0,,0 1 1',
    'none',
  ])('returns nothing for the viewBox %j', (viewBox) => expect(svgSides('', '', viewBox)).toBeUndefined());

  it('reads long texts in bounded time', () => {
    const start = cpuMs();
    for (const piece of ['1', ' ', '1 ', '.', 'e', ',']) {
      const text = piece.repeat(500_000);
      svgSides(`${text}x`, `${text}x`, `${text}x`);
    }
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});

describe('undrawableReason', () => {
  it.each([
    [1, 1],
    [16_384, 4_096],
    [8_192, 8_192],
    [7_680, 4_320],
  ])('accepts %i by %i pixels', (width, height) =>
    expect(undrawableReason({ width, height })).toBeUndefined(),
  );

  it.each([
    [0, 1, '0 by 1 pixels'],
    [1, 0, '1 by 0 pixels'],
    [16_385, 1, '16384 is the longest side'],
    [1, 16_385, '16384 is the longest side'],
    [0xffff_ffff, 0xffff_ffff, 'longest side'],
    [8_193, 8_192, '67108864 in total'],
    [16_384, 16_384, 'in total'],
  ])('refuses %i by %i pixels', (width, height, why) =>
    expect(undrawableReason({ width, height })).toContain(why),
  );
});
