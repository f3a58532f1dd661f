/** Bytes that arrive in pieces, however small. Each is copied a few times at most, and not with every piece. */
export function growingBytes() {
  let space = Buffer.alloc(0);
  let length = 0;
  return {
    size: () => length,
    add(piece: Buffer): void {
      if (length + piece.length > space.length) {
        const larger = Buffer.alloc(Math.max(2 * space.length, length + piece.length));
        space.copy(larger, 0, 0, length);
        space = larger;
      }
      length += piece.copy(space, length);
    },
    /** All of them, which are then gone. */
    take(): Buffer {
      const all = space.subarray(0, length);
      [space, length] = [Buffer.alloc(0), 0];
      return all;
    },
  };
}
