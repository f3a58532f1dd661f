import zlib from 'node:zlib';
import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InflateFault } from '../../src/deflate/inflate-fault.ts';

/** The exports of both implementations of `#deflate`. */
export interface Deflate {
  inflateRaw(packed: Uint8Array, size: number): Uint8Array | InflateFault;
  crc32(bytes: Uint8Array): number;
}

const deflated = (bytes: Uint8Array, level = 9) => Uint8Array.from(zlib.deflateRawSync(bytes, { level }));
const TEXT = new TextEncoder().encode('she sells sea shells by the sea shore, '.repeat(40));

/** The tests that every implementation of `#deflate` runs. */
export function describeDeflate({ inflateRaw, crc32 }: Deflate): void {
  describe('inflateRaw', () => {
    test('returns the original bytes, for any level', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 5000 }), fc.constantFrom(0, 1, 6, 9), (bytes, level) => {
          expect(inflateRaw(deflated(bytes, level), bytes.length)).toEqual(bytes);
        }),
        { numRuns: 60 },
      );
    });

    test('returns long contents', () => {
      const long = new Uint8Array(3_000_000).map((_, index) => (index * index) >> 7);
      expect(inflateRaw(deflated(long), long.length)).toEqual(long);
    });

    test('returns a Uint8Array, not a Buffer', () => {
      expect(Object.getPrototypeOf(inflateRaw(deflated(TEXT), TEXT.length))).toBe(Uint8Array.prototype);
    });

    test.each([-1000, -1, 1, 1000])('detects a declared size that is wrong by %i', (difference) => {
      const expected = difference < 0 ? 'longer' : 'shorter';
      expect(inflateRaw(deflated(TEXT), TEXT.length + difference)).toBe(expected);
    });

    test('detects content with a declared size of 0', () => {
      expect(inflateRaw(deflated(Uint8Array.of(1)), 0)).toBe('longer');
      expect(inflateRaw(deflated(TEXT), 0)).toBe('longer');
    });

    test.each([0, 6, 9])('detects bytes after the end, level %i', (level) => {
      const packed = deflated(TEXT, level);
      for (const hidden of [[0], [255], [1, 2, 3], [...packed]]) {
        expect(inflateRaw(Uint8Array.of(...packed, ...hidden), TEXT.length)).toBe('trailing');
      }
      expect(inflateRaw(Uint8Array.of(3, 0, 0), 0)).toBe('trailing');
    });

    test.each([0, 6, 9])('detects a stream cut at any byte, level %i', (level) => {
      const packed = deflated(TEXT, level);
      for (let length = 0; length < packed.length; length++) {
        expect(typeof inflateRaw(packed.slice(0, length), TEXT.length), `cut at ${length}`).toBe('string');
      }
    });

    test.each([
      ['a reserved block type', [0x07, 0x00]],
      ['a distance before the start', [0x03, 0x02, 0x00]],
      ['no bytes', []],
      ['one byte', [0x03]],
    ])('reports %s as damaged', (_, bytes) => {
      expect(inflateRaw(Uint8Array.from(bytes), 3)).toBe('damaged');
    });

    test('stops a bomb soon after the declared size', () => {
      const bomb = deflated(new Uint8Array(64_000_000));
      const damagedFurtherOn = bomb.fill(0xff, bomb.length / 2);
      expect(inflateRaw(damagedFurtherOn, 1000)).toBe('longer');
    });

    test('allocates no more than its input can fill, whatever size is declared', () => {
      expect(inflateRaw(deflated(TEXT), 2 ** 45)).toBe('shorter');
      const long = new Uint8Array(9_000_000);
      expect(inflateRaw(deflated(long, 0), 10)).toBe('longer');
    });

    test('never throws for any bytes', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(2000), (packed, size) => {
          const result = inflateRaw(packed, size);
          if (typeof result !== 'string') expect(result.length).toBe(size);
        }),
        { numRuns: runs(2000) },
      );
    });
  });

  test('crc32 returns the CRC-32 of zip', () => {
    expect(crc32(new Uint8Array(0))).toBe(0);
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(crc32(bytes)).toBe(zlib.crc32(bytes));
      }),
    );
  });
}
