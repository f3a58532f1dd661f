import { expect, test } from 'vitest';
import { Bits, CorruptStreamError } from '../../src/deflate/bits.ts';
import { huffman } from '../../src/deflate/huffman.ts';
import { packBits } from './bit-writer.ts';

test('numbers are read from the least significant bit of each byte, across bytes', () => {
  const bits = new Bits(packBits([1, 1], [0x1ffe, 13], [5, 3], [0xabcd, 16], [0, 0]));
  expect([1, 13, 3, 16, 0].map((count) => bits.take(count))).toEqual([1, 0x1ffe, 5, 0xabcd, 0]);
  expect(bits.taken).toBe(5);
  bits.take(7);
  expect(() => bits.take(1)).toThrow(CorruptStreamError);
});

test('symbols are read from the most significant bit of their codes', () => {
  const code = huffman(Uint8Array.of(2, 1, 3, 3), false);
  if (!code) throw new Error('this is a whole code');
  // The codes are 10, 0, 110 and 111 (RFC 1951, 3.2.2); the first bit of each is written first.
  const bits = new Bits(packBits([0b1, 2], [0, 1], [0b011, 3], [0b111, 3]));
  expect([0, 1, 2, 3].map(() => bits.takeSymbol(code))).toEqual([0, 1, 2, 3]);
  expect(() => new Bits(new Uint8Array(0)).takeSymbol(code)).toThrow(CorruptStreamError);
});

test('a bit that starts no code is a corrupt stream', () => {
  const lone = huffman(Uint8Array.of(0, 1), false);
  if (!lone) throw new Error('one code of one bit is allowed');
  expect(new Bits(Uint8Array.of(0)).takeSymbol(lone)).toBe(1);
  expect(() => new Bits(Uint8Array.of(0xff, 0xff, 0xff)).takeSymbol(lone)).toThrow(CorruptStreamError);
});

test('takeBytes starts at the next whole byte, and throws if bytes are missing', () => {
  const bits = new Bits(Uint8Array.of(0xff, 1, 2, 3));
  bits.take(3);
  expect(bits.takeBytes(2)).toEqual(Uint8Array.of(1, 2));
  expect(() => bits.takeBytes(2)).toThrow(CorruptStreamError);
});
