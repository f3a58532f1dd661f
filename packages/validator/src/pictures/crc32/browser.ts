/** For each number of bytes that follow in the same step (0 to 3), the effect of each byte on the checksum. */
const TABLES: readonly Int32Array[] = tables();

function tables(): Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb8_8320 ^ (crc >>> 1) : crc >>> 1;
    return crc;
  });
  const made = [first];
  while (made.length < 4) {
    made.push((made.at(-1) ?? first).map((crc) => (first[crc & 0xff] ?? 0) ^ (crc >>> 8)));
  }
  return made;
}

/**
 * CRC-32 of a range of bytes, as an unsigned number (PNG, annex D), four bytes per step. Browsers have no built-in one, and
 * chunks are too small to be worth a dependency.
 */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const [t0, t1, t2, t3] = TABLES as [Int32Array, Int32Array, Int32Array, Int32Array];
  let crc = -1;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    crc ^= b(bytes, at) | (b(bytes, at + 1) << 8) | (b(bytes, at + 2) << 16) | (b(bytes, at + 3) << 24);
    crc =
      (t3[crc & 0xff] ?? 0) ^
      (t2[(crc >>> 8) & 0xff] ?? 0) ^
      (t1[(crc >>> 16) & 0xff] ?? 0) ^
      (t0[crc >>> 24] ?? 0);
  }
  for (; at < end; at += 1) crc = (t0[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function b(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
