/** Longest code of a block's alphabets (RFC 1951, 3.2.7). */
export const MAX_CODE = 15;

/** A Huffman code: the number of codes of each length, and the symbols in the order of their codes. */
export interface Huffman {
  counts: Uint16Array;
  symbols: Uint16Array;
}

/**
 * Builds the code with these lengths (RFC 1951, 3.2.2); a length of 0 excludes a symbol. Undefined for invalid lengths: an
 * over-subscribed code, or, as in zlib, an incomplete one. A single code of one bit is allowed, and with
 * `mayBeEmpty` also no code at all, both of which 3.2.7 allows for distances.
 */
export function huffman(lengths: Uint8Array, mayBeEmpty: boolean): Huffman | undefined {
  const counts = new Uint16Array(MAX_CODE + 1);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    counts[length] = (counts[length] as number) + 1;
  }
  const used = lengths.length - (counts[0] ?? 0);
  if (used === 0) return mayBeEmpty ? { counts, symbols: new Uint16Array(0) } : undefined;
  const free = unusedCodes(counts);
  const isLoneBit = used === 1 && counts[1] === 1;
  return free < 0 || (free > 0 && !isLoneBit)
    ? undefined
    : { counts, symbols: inOrder(lengths, counts, used) };
}

/** Number of unused codes of the longest length; negative for an over-subscribed code. */
function unusedCodes(counts: Uint16Array): number {
  let free = 1;
  for (let length = 1; length <= MAX_CODE; length++) {
    free = free * 2 - (counts[length] ?? 0);
    if (free < 0) return free;
  }
  return free;
}

/** Symbols by length, then by value. */
function inOrder(lengths: Uint8Array, counts: Uint16Array, used: number): Uint16Array {
  const offsets = new Uint16Array(MAX_CODE + 2);
  for (let length = 1; length <= MAX_CODE; length++) {
    offsets[length + 1] = (offsets[length] ?? 0) + (counts[length] ?? 0);
  }
  const symbols = new Uint16Array(used);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    const at = offsets[length] as number;
    symbols[at] = symbol;
    offsets[length] = at + 1;
  }
  return symbols;
}
