import { expect, test } from 'vitest';
import { huffman } from '../../src/deflate/huffman.ts';

test('symbols are ordered by code length, then by value', () => {
  // The example of RFC 1951, 3.2.2.
  const code = huffman(Uint8Array.of(3, 3, 3, 3, 3, 2, 4, 4), false);
  expect([...(code?.symbols ?? [])]).toEqual([5, 0, 1, 2, 3, 4, 6, 7]);
  expect([...(code?.counts ?? [])].slice(2, 5)).toEqual([1, 5, 2]);
});

test.each([
  ['two codes of one bit and one more', [1, 1, 1]],
  ['too many codes of the longest length', [...Array(14)].map((_, index) => index + 1).concat(15, 15, 15)],
  ['an unused code of two bits', [1, 2]],
  ['a single code of two bits', [2]],
  ['two codes of two bits', [2, 2]],
])('huffman refuses %s', (_, lengths) => {
  expect(huffman(Uint8Array.from(lengths), false)).toBeUndefined();
  expect(huffman(Uint8Array.from(lengths), true)).toBeUndefined();
});

test('huffman accepts a single code of one bit', () => {
  expect(huffman(Uint8Array.of(0, 1), false)?.symbols).toEqual(Uint16Array.of(1));
});

test('huffman accepts an empty code only with mayBeEmpty', () => {
  expect(huffman(new Uint8Array(30), false)).toBeUndefined();
  expect(huffman(new Uint8Array(30), true)?.symbols).toEqual(new Uint16Array(0));
});
