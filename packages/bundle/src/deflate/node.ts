import zlib from 'node:zlib';
import { type InflateFault, MAX_GROWTH } from './inflate-fault.ts';

/** Smallest output chunk that zlib allows. */
const MIN_CHUNK = 64;

/** Inflates a raw deflate stream that must give exactly `size` bytes and end exactly with its input. */
export function inflateRaw(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  try {
    const { buffer, engine } = inflateWithEngine(packed, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      // A single chunk: several would need twice the memory when they are joined. The chunk is never larger than the input
      // can fill, and the system does not allocate its unused pages.
      chunkSize: Math.max(MIN_CHUNK, Math.min(size, packed.length * MAX_GROWTH) + 1),
    });
    if (buffer.length > size) return 'longer';
    if (buffer.length < size) return 'shorter';
    if (engine.bytesWritten !== packed.length) return 'trailing';
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  } catch (error) {
    // Invalid input gives an error with a code of zlib; rethrow anything else, which is a bug.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'longer';
    if (code.startsWith('Z_')) return 'damaged';
    throw error;
  }
}

/** The result with `info: true`, which is missing in the type declarations. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

function inflateWithEngine(packed: Uint8Array, options: zlib.ZlibOptions): Inflated {
  return zlib.inflateRawSync(packed, options) as unknown as Inflated;
}

/** CRC-32 as zip uses it (APPNOTE 4.4.7). */
export function crc32(bytes: Uint8Array): number {
  return zlib.crc32(bytes);
}
