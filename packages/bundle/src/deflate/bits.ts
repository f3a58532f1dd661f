import { type Huffman, MAX_CODE } from './huffman.ts';

/** Thrown for a stream that ends too soon, or is not valid by RFC 1951. */
export class CorruptStreamError extends Error {}

/** The bits of a deflate stream, from the low end of each byte (RFC 1951, 3.1.1). */
export class Bits {
  /** Bytes consumed so far, including the current one. */
  taken = 0;
  readonly #bytes: Uint8Array;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads the next bits, at most 16, as a number. */
  take(count: number): number {
    while (this.#count < count) {
      this.#held |= this.#nextByte() << this.#count;
      this.#count += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return value;
  }

  /**
   * Reads the next symbol of a code. Bit by bit instead of with a table: a stream can change its code every few bytes, and
   * building tables would cost more than its content.
   */
  takeSymbol({ counts, symbols }: Huffman): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= MAX_CODE; length++) {
      if (this.#count === 0) {
        this.#held = this.#nextByte();
        this.#count = 8;
      }
      code |= this.#held & 1;
      this.#held >>>= 1;
      this.#count--;
      const count = counts[length] as number;
      if (code - count < first) return symbols[index + code - first] as number;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new CorruptStreamError();
  }

  /** Reads the next whole bytes; drops the rest of the current byte. */
  takeBytes(count: number): Uint8Array {
    this.dropToByte();
    const bytes = this.#bytes.subarray(this.taken, this.taken + count);
    if (bytes.length < count) throw new CorruptStreamError();
    this.taken += count;
    return bytes;
  }

  /** Drops the rest of the current byte. */
  dropToByte(): void {
    this.#held = 0;
    this.#count = 0;
  }

  #nextByte(): number {
    const byte = this.#bytes[this.taken];
    if (byte === undefined) throw new CorruptStreamError();
    this.taken++;
    return byte;
  }
}
