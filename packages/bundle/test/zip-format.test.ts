import { expect, test } from 'vitest';
import { u16, u32, viewOf } from '../src/zip-format.ts';

test('viewOf covers only the given bytes, whose numbers are little-endian', () => {
  const view = viewOf(Uint8Array.of(9, 9, 1, 2, 3, 4, 9).subarray(1, 6));
  expect([view.byteLength, u16(view, 1), u32(view, 1)]).toEqual([5, 0x0201, 0x0403_0201]);
});
