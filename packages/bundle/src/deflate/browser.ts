import { Z_FINISH, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2 } from 'pako';
import { type InflateFault, MAX_GROWTH } from './inflate-fault.ts';

/** Raw deflate, without a zlib header, with the full window (zlib.h, `inflateInit2`). */
const RAW = -15;

/**
 * Inflates a raw deflate stream (RFC 1951) that must give exactly `size` bytes and end exactly with its input. Calls the core
 * of pako instead of its `Inflate`, which collects output without a limit: here the stream writes into one buffer, of the
 * declared size or what the input can fill, and one byte to detect a longer stream.
 */
export function inflateRaw(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  const stream = new ZStream();
  stream.input = packed;
  stream.avail_in = packed.length;
  stream.output = new Uint8Array(Math.min(size, packed.length * MAX_GROWTH) + 1);
  stream.avail_out = stream.output.length;
  zlibInflateInit2(stream, RAW);
  const status = zlibInflate(stream, Z_FINISH);
  if (stream.next_out > size) return 'longer';
  if (status !== Z_STREAM_END) return 'damaged';
  if (stream.next_out < size) return 'shorter';
  return stream.avail_in > 0 ? 'trailing' : stream.output.subarray(0, size);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 as zip uses it (APPNOTE 4.4.7). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
