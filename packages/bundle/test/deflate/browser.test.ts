import zlib from 'node:zlib';
import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as browser from '../../src/deflate/browser.ts';
import * as node from '../../src/deflate/node.ts';
import { describeDeflate } from './contract.ts';

describeDeflate(browser);

test('accepts every stream that zlib accepts, with the same bytes', () => {
  const bytesAndDamage = fc.tuple(
    fc.uint8Array({ minLength: 1, maxLength: 300 }),
    fc.nat(),
    fc.nat(7),
    fc.nat(9),
  );
  fc.assert(
    fc.property(bytesAndDamage, ([bytes, position, bit, level]) => {
      const packed = Uint8Array.from(zlib.deflateRawSync(bytes, { level }));
      const at = position % packed.length;
      packed[at] = (packed[at] ?? 0) ^ (1 << bit);
      const strict = node.inflateRaw(packed, bytes.length);
      if (typeof strict !== 'string') expect(browser.inflateRaw(packed, bytes.length)).toEqual(strict);
    }),
    { numRuns: runs(3000) },
  );
});
