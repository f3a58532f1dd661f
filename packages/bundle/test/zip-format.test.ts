import { expect, test } from 'vitest';
import { viewOf } from '../src/zip-format.ts';

test('viewOf covers only the given bytes', () => {
  const part = Uint8Array.of(9, 1, 0, 9).subarray(1, 3);
  expect(viewOf(part).byteLength).toBe(2);
  expect(viewOf(part).getUint16(0, true)).toBe(1);
});
