import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import * as browser from '../../packages/bundle/src/deflate/browser.ts';
import * as node from '../../packages/bundle/src/deflate/node.ts';
import { edited } from './edits.ts';
import { type Part, promise } from './promise.ts';

/** Maximum bytes to inflate when measuring a stream. */
const MAX_INFLATED = 2 ** 18;

const CONTENTS = [
  new Uint8Array(0),
  Uint8Array.of(7),
  new Uint8Array(70_000),
  Uint8Array.from({ length: 3_000 }, (_, index) => (index * index) >> 5),
  new TextEncoder().encode('she sells sea shells by the sea shore, '.repeat(60)),
];
const { Z_FIXED, Z_HUFFMAN_ONLY, Z_DEFAULT_STRATEGY, Z_RLE } = constants;
const STREAMS = CONTENTS.flatMap((content) =>
  [Z_FIXED, Z_HUFFMAN_ONLY, Z_DEFAULT_STRATEGY, Z_RLE].flatMap((strategy) =>
    [0, 1, 9].map((level) => Uint8Array.from(deflateRawSync(content, { level, strategy }))),
  ),
);

/** Packs fields of the given bit widths, least significant bit first (RFC 1951, 3.1.1). */
function packBits(fields: readonly (readonly [value: number, bits: number])[]): Uint8Array {
  const bits = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, bit) => (value >> bit) & 1),
  );
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
  return bytes;
}

const bitsOf = (count: number): fc.Arbitrary<[number, number]> =>
  fc.nat(2 ** count - 1).map((value): [number, number] => [value, count]);

/** Code lengths of a complete code with the longest possible code: 1, 2, 3, … and the last one twice. */
const stairs = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.min(index + 1, count - 1));

/**
 * The header of a dynamic block (3.2.7) with a complete, or nearly complete, code length code: its eight symbols have three bits
 * each, so that random bits after it decode to random code lengths.
 */
const dynamicHead = fc
  .tuple(
    bitsOf(5),
    bitsOf(5),
    fc.constantFrom([3, 3, 3, 3, 3, 3, 3, 3], stairs(8), [1, 1], [1], [], [2, 2, 2, 2, 1]),
    fc.shuffledSubarray(
      Array.from({ length: 19 }, (_, index) => index),
      { minLength: 8, maxLength: 8 },
    ),
  )
  .map(([literals, distances, lengths, order]): [number, number][] => {
    const counts = Array.from({ length: 19 }, (): [number, number] => [0, 3]);
    for (const [index, length] of lengths.entries()) counts[order[index] ?? 0] = [length, 3];
    return [[1, 1], [2, 2], literals, distances, [15, 4], ...counts];
  });

const noise = fc.array(bitsOf(8), { maxLength: 300 });

const composed = fc.oneof(
  fc.tuple(dynamicHead, noise).map(([head, rest]) => packBits([...head, ...rest])),
  fc.tuple(bitsOf(1), bitsOf(2), noise).map(([last, type, rest]) => packBits([last, type, ...rest])),
);

/** The number of bytes that zlib inflates from a stream; 0 when it fails. */
function inflatedSize(packed: Uint8Array): number {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_INFLATED }).length;
  } catch {
    return 0;
  }
}

interface Stream {
  packed: Uint8Array;
  /** Difference between the declared and the true size. */
  lie: number;
}

/** Deflate streams: zlib in Node and our browser code accept the same streams, and inflate them to the same bytes. */
export const deflateStreams: Part<Stream> = {
  name: 'deflate',
  inputs: fc.record({
    packed: fc.oneof(
      edited(STREAMS, [Uint8Array.of(0xff, 0xff, 0, 0), Uint8Array.of(1, 0, 0, 0xff, 0xff)], 3),
      composed,
    ),
    lie: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 300 })),
  }),
  check: ({ packed, lie }) => {
    const size = Math.max(0, inflatedSize(packed) + lie);
    const [ours, zlibs] = [browser.inflateRaw(packed, size), node.inflateRaw(packed, size)];
    if (typeof ours === 'string' || typeof zlibs === 'string') {
      promise(typeof ours === typeof zlibs, `browser: ${outcome(ours)}, Node: ${outcome(zlibs)}`);
    } else {
      promise(Buffer.compare(ours, zlibs) === 0, 'browser and Node inflate to different bytes');
      promise(ours.length === size, `inflated to ${ours.length} bytes, declared size ${size}`);
    }
  },
  toFile: ({ packed }) => packed,
};

const outcome = (result: Uint8Array | string): string =>
  typeof result === 'string' ? `it ${result}` : `${result.length} bytes`;
