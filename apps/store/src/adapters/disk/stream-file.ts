import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';

/** How far ahead of its reader a file is read, in bytes. */
const AHEAD_BYTES = 256 * 1024;

/**
 * Streams a file as fast as it is read, and no faster. The limit counts bytes: counted in pieces, it would let a whole
 * bundle into memory for a reader that is slow.
 */
export const streamFile = (file: string): ReadableStream<Uint8Array> =>
  Readable.toWeb(createReadStream(file), {
    strategy: new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES }),
  }) as ReadableStream<Uint8Array>;
