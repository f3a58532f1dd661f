import { Bits, CorruptStreamError } from './bits.ts';
import { type Huffman, huffman } from './huffman.ts';
import { type InflateFault, MAX_GROWTH } from './inflate-fault.ts';

/** RFC 1951, 3.2.5: length and distance symbols as a base and a number of extra bits. */
const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const END_OF_BLOCK = 256;

/** 3.2.7: the order in which the lengths of the code length code are written. */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

interface Codes {
  literals: Huffman;
  distances: Huffman;
}

/** 3.2.6 */
const FIXED: Codes = {
  literals: sound(huffman(new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280), false)),
  distances: sound(huffman(new Uint8Array(32).fill(5), false)),
};

/** The growing output, limited to the declared size. */
class Output {
  length = 0;
  readonly bytes: Uint8Array;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  addByte(byte: number): void {
    if (this.length >= this.bytes.length) throw new StreamTooLongError();
    this.bytes[this.length++] = byte;
  }

  add(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) throw new StreamTooLongError();
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Copies from a distance back; source and target may overlap (3.2.3). */
  repeat(distance: number, length: number): void {
    if (distance > this.length) throw new CorruptStreamError();
    if (this.length + length > this.bytes.length) throw new StreamTooLongError();
    const { bytes } = this;
    let at = this.length;
    for (const end = at + length; at < end; at++) bytes[at] = bytes[at - distance] as number;
    this.length = at;
  }
}

class StreamTooLongError extends Error {}

/**
 * Inflates a raw deflate stream (RFC 1951) that must give exactly `size` bytes and end exactly with its input. Accepts
 * exactly what zlib accepts. Its memory is proportional to the input, not to the declared size.
 */
export function inflate(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  const bits = new Bits(packed);
  const output = new Output(Math.min(size, packed.length * MAX_GROWTH));
  try {
    let isLast = false;
    while (!isLast) {
      isLast = bits.take(1) === 1;
      inflateBlock(bits, output);
    }
  } catch (error) {
    if (error instanceof CorruptStreamError) return 'damaged';
    if (error instanceof StreamTooLongError) return 'longer';
    throw error;
  }
  if (output.length < size) return 'shorter';
  return bits.taken < packed.length ? 'trailing' : output.bytes;
}

function inflateBlock(bits: Bits, output: Output): void {
  const type = bits.take(2);
  if (type === 0) copyStored(bits, output);
  else if (type === 1) inflateSymbols(bits, output, FIXED);
  else if (type === 2) inflateSymbols(bits, output, readCodes(bits));
  else throw new CorruptStreamError();
}

/** 3.2.4 */
function copyStored(bits: Bits, output: Output): void {
  const [low = 0, high = 0, ...complement] = bits.takeBytes(4);
  if (complement[0] !== (low ^ 0xff) || complement[1] !== (high ^ 0xff)) throw new CorruptStreamError();
  output.add(bits.takeBytes(low | (high << 8)));
}

function inflateSymbols(bits: Bits, output: Output, { literals, distances }: Codes): void {
  for (;;) {
    const symbol = bits.takeSymbol(literals);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) {
      output.addByte(symbol);
    } else {
      const length = takeValue(bits, symbol - END_OF_BLOCK - 1, LENGTH_BASE, LENGTH_EXTRA);
      const distance = takeValue(bits, bits.takeSymbol(distances), DISTANCE_BASE, DISTANCE_EXTRA);
      output.repeat(distance, length);
    }
  }
}

/** A length or a distance. The last symbols of the fixed codes are invalid (3.2.6). */
function takeValue(bits: Bits, symbol: number, bases: readonly number[], extras: readonly number[]): number {
  const base = bases[symbol];
  const extra = extras[symbol];
  if (base === undefined || extra === undefined) throw new CorruptStreamError();
  return base + bits.take(extra);
}

/** 3.2.7 */
function readCodes(bits: Bits): Codes {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  if (literalCount > 286 || distanceCount > DISTANCE_BASE.length) throw new CorruptStreamError();
  const lengths = readLengths(bits, literalCount + distanceCount);
  return {
    literals: sound(huffman(lengths.subarray(0, literalCount), false)),
    distances: sound(huffman(lengths.subarray(literalCount), true)),
  };
}

function readLengths(bits: Bits, count: number): Uint8Array {
  const written = bits.take(4) + 4;
  const ofLengths = new Uint8Array(CODE_LENGTH_ORDER.length);
  for (let nth = 0; nth < written; nth++) ofLengths[CODE_LENGTH_ORDER[nth] as number] = bits.take(3);
  const code = sound(huffman(ofLengths, false));
  const lengths = new Uint8Array(count);
  for (let at = 0; at < count; ) {
    const symbol = bits.takeSymbol(code);
    const [value, times] = symbol < 16 ? [symbol, 1] : takeRun(bits, symbol, lengths[at - 1]);
    if (at + times > count) throw new CorruptStreamError();
    lengths.fill(value, at, at + times);
    at += times;
  }
  return lengths;
}

/** A repeated length, and how often: the previous one (16), or 0 (17, 18). */
function takeRun(bits: Bits, symbol: number, previous: number | undefined): [number, number] {
  if (symbol === 17) return [0, 3 + bits.take(3)];
  if (symbol === 18) return [0, 11 + bits.take(7)];
  if (previous === undefined) throw new CorruptStreamError();
  return [previous, 3 + bits.take(2)];
}

function sound(code: Huffman | undefined): Huffman {
  if (code === undefined) throw new CorruptStreamError();
  return code;
}
