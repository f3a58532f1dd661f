/** Packs numbers of the given widths, from the least significant bit of each byte (RFC 1951, 3.1.1). */
export function packBits(...fields: readonly (readonly [value: number, bits: number])[]): Uint8Array {
  const bits = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, bit) => (value >> bit) & 1),
  );
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
  return bytes;
}
