import zlib from 'node:zlib';
import { type InflateFault, MAX_GROWTH } from './inflate-fault.ts';

/** Smallest output chunk that zlib takes. */
const MIN_CHUNK = 64;

/** Inflates a raw deflate stream that must give exactly `size` bytes and end exactly with its input. */
export function inflateRaw(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  try {
    const { buffer, engine } = inflateWithEngine(packed, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      // One chunk for all: several are held twice while they are put together. The declared size is not trusted with
      // more memory than the input can fill, and what is not filled stays untouched, so that the system lends it only.
      chunkSize: Math.max(MIN_CHUNK, Math.min(size, packed.length * MAX_GROWTH) + 1),
    });
    if (buffer.length !== size) return buffer.length > size ? 'longer' : 'shorter';
    if (engine.bytesWritten !== packed.length) return 'trailing';
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  } catch (error) {
    // Bad input arrives as an error with a code of zlib's; anything else is a bug and goes on.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'longer';
    if (code.startsWith('Z_')) return 'damaged';
    throw error;
  }
}

/** What `info: true` makes of the result, which the type declarations leave out. */
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
