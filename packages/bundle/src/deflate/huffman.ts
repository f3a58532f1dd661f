/** Longest code of a block's alphabets (RFC 1951, 3.2.7). */
export const MAX_CODE = 15;

/** A Huffman code: how many codes there are of each length, and the symbols in the order of their codes. */
export interface Huffman {
  counts: Uint16Array;
  symbols: Uint16Array;
}

/**
 * The code with these lengths (RFC 1951, 3.2.2); a length of 0 leaves a symbol out. Undefined for lengths that no code
 * has: too many short ones, or, as zlib has it too, codes that stand for nothing. One code of one bit may leave the other
 * unused, and with `mayBeEmpty` there may be no codes, both of which 3.2.7 allows for distances.
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

/** How many of the longest codes are left over; negative when there are too many codes. */
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
