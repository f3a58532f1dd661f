import { type Huffman, MAX_CODE } from './huffman.ts';

/** A stream that ends too soon, or that says what RFC 1951 does not allow. */
export class CorruptStreamError extends Error {}

/** The bits of a deflate stream, from the low end of each byte (RFC 1951, 3.1.1). */
export class Bits {
  /** Bytes taken so far, the one that is being taken among them. */
  taken = 0;
  readonly #bytes: Uint8Array;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next bits, at most 16, as a number. */
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
   * The next symbol of a code. Bit by bit rather than by a table: a stream may change its code every few bytes, and
   * tables would cost more than its content.
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

  /** The next whole bytes; what is left of the byte before them is dropped. */
  takeBytes(count: number): Uint8Array {
    this.dropToByte();
    const bytes = this.#bytes.subarray(this.taken, this.taken + count);
    if (bytes.length < count) throw new CorruptStreamError();
    this.taken += count;
    return bytes;
  }

  /** Drops what is left of the current byte. */
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
