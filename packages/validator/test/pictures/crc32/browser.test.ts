import { crc32 as reference } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32 } from '../../../src/pictures/crc32/browser.ts';

it('computes the CRC-32 of any range of bytes', () => {
  expect(crc32(Buffer.from('123456789'), 0, 9)).toBe(0xcbf4_3926);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), fc.nat(40), (bytes, one, other) => {
      const [start, end] = [Math.min(one, other, bytes.length), Math.min(Math.max(one, other), bytes.length)];
      expect(crc32(bytes, start, end)).toBe(reference(bytes.subarray(start, end)));
    }),
  );
});
