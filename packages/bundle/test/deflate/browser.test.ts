import zlib from 'node:zlib';
import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as browser from '../../src/deflate/browser.ts';
import * as node from '../../src/deflate/node.ts';
import { packBits } from './bit-writer.ts';
import { describeDeflate } from './contract.ts';

describeDeflate(browser);

const LAST: [number, number] = [1, 1];
const FIXED: [number, number] = [1, 2];
const DYNAMIC: [number, number] = [2, 2];

/** Code lengths for the code length code, in the order that RFC 1951, 3.2.7 writes them. */
const headed = (literals: number, distances: number, ...lengths: number[]): [number, number][] => [
  LAST,
  DYNAMIC,
  [literals - 257, 5],
  [distances - 1, 5],
  [15, 4],
  ...Array.from({ length: 19 }, (_, index): [number, number] => [lengths[index] ?? 0, 3]),
];
const zeros = (count: number): [number, number][] => Array.from({ length: count }, () => [0, 8]);

/**
 * A block that writes its code lengths with the code 18 = 0, 0 = 10, 1 = 11: 256 unused literals as two runs, the end of
 * block with one bit, `rest`, and directly after it the end of block.
 */
const emptyBlock = (literals: number, distances: number, ...rest: [number, number][]): [number, number][] => [
  ...headed(literals, distances, 0, 0, 1, 2, ...Array(13).fill(0), 2),
  ...([
    [0, 1],
    [127, 7],
    [0, 1],
    [107, 7],
    [0b11, 2],
  ] as [number, number][]),
  ...rest,
  [0, 1],
];
const NONE: [number, number] = [0b01, 2];
const runOfNone = (count: number): [number, number][] => [
  [0, 1],
  [count - 11, 7],
];

/** Streams that RFC 1951 forbids and lenient readers accept. */
const FORBIDDEN: Record<string, Uint8Array> = {
  'a stored length whose complement is wrong': Uint8Array.of(1, 1, 0, 0xff, 0xff, 0x61),
  'more literals than exist': packBits(...emptyBlock(287, 1, ...runOfNone(30), NONE)),
  'more distances than exist': packBits(...emptyBlock(257, 31, ...runOfNone(31))),
  'no code for code lengths': packBits(...headed(257, 1), ...zeros(9)),
  'one code for code lengths': packBits(...headed(257, 1, 0, 0, 0, 1), ...zeros(40)),
  'too many codes for code lengths': packBits(...headed(257, 1, 1, 1, 1), ...zeros(40)),
  // Its code is 18 = 0, 1 = 10, 0 = 110, 16 = 111: a repeat before the first length, then as in the empty block.
  'a repeat before the first length': packBits(
    ...headed(257, 1, 3, 0, 1, 3, ...Array(13).fill(0), 2),
    ...([[0b111, 3], [0, 2], ...runOfNone(138), ...runOfNone(115), [0b01, 2], [0b011, 3], [0, 1]] as [
      number,
      number,
    ][]),
  ),
  'a run past the last length': packBits(...emptyBlock(257, 1, ...runOfNone(11))),
  'no end of block': packBits(
    ...headed(257, 1, 0, 0, 1, 1),
    [1, 1],
    [127, 7],
    [1, 1],
    [108, 7],
    [0, 1],
    [0, 1],
    ...zeros(2),
  ),
  'the length symbol 286': packBits(LAST, FIXED, [0b01100011, 8], ...zeros(3)),
  'the distance symbol 30': packBits(LAST, FIXED, [0b1000000, 7], [0b01111, 5], ...zeros(3)),
  'a distance before the start': packBits(LAST, FIXED, [0b1000000, 7], [0, 5], ...zeros(3)),
};

describe('a stream that RFC 1951 forbids', () => {
  test.each(Object.entries(FORBIDDEN))('%s', (_, packed) => {
    for (const size of [0, 1, 3, 100]) {
      expect(typeof node.inflateRaw(packed, size), 'zlib').toBe('string');
      expect(typeof browser.inflateRaw(packed, size)).toBe('string');
    }
    expect(browser.inflateRaw(packed, 2 ** 16)).toBe('damaged');
  });
});

describe('the inflater of browsers', () => {
  test('accepts the maximum numbers of literals and distances', () => {
    for (const packed of [
      emptyBlock(286, 1, ...runOfNone(29), NONE),
      emptyBlock(257, 30, ...runOfNone(30)),
    ].map((fields) => packBits(...fields))) {
      expect(browser.inflateRaw(packed, 0)).toEqual(new Uint8Array(0));
      expect(node.inflateRaw(packed, 0)).toEqual(new Uint8Array(0));
    }
  });

  test('accepts exactly the streams that zlib accepts, with the same bytes', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(7)), { maxLength: 3 });
    const stream = fc.record({
      bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      level: fc.nat(9),
      strategy: fc.nat(4),
      damage,
    });
    fc.assert(
      fc.property(stream, ({ bytes, level, strategy, damage: places }) => {
        const packed = Uint8Array.from(zlib.deflateRawSync(bytes, { level, strategy }));
        for (const [at, bit] of places)
          packed[at % packed.length] = (packed[at % packed.length] ?? 0) ^ (1 << bit);
        const [ours, zlibs] = [
          browser.inflateRaw(packed, bytes.length),
          node.inflateRaw(packed, bytes.length),
        ];
        if (typeof zlibs === 'string') expect(typeof ours).toBe('string');
        else expect(ours).toEqual(zlibs);
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('reads many blocks with a code but no content in bounded time', () => {
    const block = emptyBlock(257, 1, NONE).with(0, [0, 1]);
    const eight = packBits(...Array.from({ length: 8 }, () => block).flat());
    const end = Uint8Array.of(3, 0);
    expect(browser.inflateRaw(Uint8Array.from(Buffer.concat([eight, end])), 0)).toEqual(new Uint8Array(0));
    const many = Uint8Array.from(Buffer.concat([Buffer.alloc(eight.length * 10_000, eight), end]));
    const started = process.threadCpuUsage().user;
    expect(browser.inflateRaw(many, 0)).toEqual(new Uint8Array(0));
    expect(process.threadCpuUsage().user - started).toBeLessThan(2_000_000);
  });
});

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
