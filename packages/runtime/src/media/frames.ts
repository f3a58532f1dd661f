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
 * Reads messages from the chunks of a pipe, whose memory can be used again. Bytes are copied once, to where they stay; memory that is
 * reserved for them and never written costs none.
 * @param maxBytes maximum length of the bytes
 */
export function createFrameReader<Head>(maxBytes: number, onFrame: (frame: Frame<Head>) => void) {
  // A message has three parts: the prefix, the head and the bytes.
  let part = Buffer.allocUnsafeSlow(PREFIX);
  let filled = 0;
  let ended = readPrefix;

  function begin(length: number, onEnd: typeof readPrefix): void {
    [part, filled, ended] = [Buffer.allocUnsafeSlow(length), 0, onEnd];
  }

  function readPrefix(prefix: Buffer<ArrayBuffer>): void {
    const [ofHead, ofBytes] = [prefix.readUInt32BE(0), prefix.readUInt32BE(4)];
    if (ofHead > MAX_HEAD || ofBytes > maxBytes) throw new Error('A message is too large.');
    begin(ofHead, (text) => {
      const head = JSON.parse(text.toString()) as Head;
      begin(ofBytes, ({ buffer }) => {
        begin(PREFIX, readPrefix);
        onFrame({ head, bytes: new Uint8Array(buffer) });
      });
    });
  }

  return {
    /** @throws for a message that is too large or malformed */
    take(chunk: Buffer): void {
      let from = 0;
      for (;;) {
        const copied = chunk.copy(part, filled, from);
        [from, filled] = [from + copied, filled + copied];
        if (filled < part.length) return;
        ended(part);
      }
    },
  };
}
