/** A message between the client and the media process: a head as JSON, and bytes. */
export type Frame<Head> = { head: Head; bytes: Uint8Array<ArrayBuffer> };

/** The lengths of head and bytes, as unsigned integers of 32 bits. */
const PREFIX = 8;
/** Maximum length of a head, in bytes. */
const MAX_HEAD = 16 * 1024;

/** The parts of a message, to be written in this order. */
export function frameOf(head: unknown, bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUInt32BE(bytes.length, 4);
  return bytes.length === 0 ? [prefix, text] : [prefix, text, bytes];
}

/**
 * Reads messages from the chunks of a pipe. Memory is reserved as bytes arrive, so that a length alone costs none.
 * @param maxBytes maximum length of the bytes
 */
export function createFrameReader<Head>(maxBytes: number, onFrame: (frame: Frame<Head>) => void) {
  let chunks: Buffer[] = [];
  let length = 0;
  let expected: { head: number; bytes: number } | null = null;

  function readPrefix(): void {
    if (expected !== null || length < PREFIX) return;
    const start = Buffer.concat(chunks);
    expected = { head: start.readUInt32BE(0), bytes: start.readUInt32BE(4) };
    if (expected.head > MAX_HEAD || expected.bytes > maxBytes) throw new Error('A message is too large.');
    chunks = [start.subarray(PREFIX)];
    length -= PREFIX;
  }

  return {
    /** @throws for a message that is too large or malformed */
    take(chunk: Buffer): void {
      chunks.push(chunk);
      length += chunk.length;
      readPrefix();
      while (expected !== null && length >= expected.head + expected.bytes) {
        const all = Buffer.concat(chunks);
        const end = expected.head + expected.bytes;
        const head = JSON.parse(all.toString('utf8', 0, expected.head)) as Head;
        const bytes = new Uint8Array(all.subarray(expected.head, end));
        [chunks, length, expected] = [[all.subarray(end)], length - end, null];
        readPrefix();
        onFrame({ head, bytes });
      }
    },
  };
}
