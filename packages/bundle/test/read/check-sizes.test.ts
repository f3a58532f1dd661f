import { LIMITS } from '@svc/contracts';
import { buildZip, type ZipEntrySpec } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { isBeyondRatio } from '../../src/read/check-sizes.ts';
import { expectRefused } from '../support/reading.ts';

const { inflatedBytes, ratio, ratioFloorBytes } = LIMITS.bundle;

/** An entry with a declared size and bytes that cannot be inflated: it must be refused before inflating. */
function claiming(name: string, size: number, packedLength: number): ZipEntrySpec {
  const lie = { size };
  return { name, method: 8, packed: new Uint8Array(packedLength).fill(0xff), local: lie, central: lie };
}

describe('declared sizes', () => {
  test('may not exceed the ratio', () => {
    const size = ratioFloorBytes + ratio;
    const bomb = claiming('bomb', size, size / ratio - 1);
    expectRefused(buildZip({ entries: [bomb] }), 'bomb', /more than 200:1/);
  });

  test('may not exceed the total, in one entry or in many', () => {
    const one = claiming('one', inflatedBytes + 1, Math.ceil((inflatedBytes + 1) / ratio));
    expectRefused(buildZip({ entries: [one] }), 'one', /more than 67108864 bytes/);
    const half = (name: string) => claiming(name, inflatedBytes / 2, inflatedBytes / 2 / ratio + 1);
    expectRefused(
      buildZip({ entries: [half('a'), half('b'), claiming('c', 1, 9)] }),
      'c',
      /more than 67108864/,
    );
  });

  test('are checked against the ratio only above the floor', () => {
    expect(isBeyondRatio(ratioFloorBytes, 1)).toBe(false);
    expect(isBeyondRatio(ratioFloorBytes + 1, 1)).toBe(true);
    expect(isBeyondRatio(ratio * 10_000, 10_000)).toBe(false);
    expect(isBeyondRatio(ratio * 10_000 + 1, 10_000)).toBe(true);
    expect(isBeyondRatio(0, 0)).toBe(false);
  });
});
