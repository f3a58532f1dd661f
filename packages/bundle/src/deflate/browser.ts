import { Inflate, inflateSync } from 'fflate';
import type { InflateFault } from './inflate-fault.ts';

/** Input per step: deflate grows at most 1032-fold, so a bomb costs one step of 16 MiB before the bound stops it. */
const STEP = 16 * 1024;

/** The shortest whole stream: three bits of header and seven of end-of-block. */
const LEAST_STREAM = 2;

/**
 * Inflates a raw deflate stream that must give exactly `size` bytes and end exactly with its input. fflate lets a few
 * malformed streams pass that zlib refuses, so the last word on an upload is the server's.
 */
export function inflateRaw(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  if (packed.length < LEAST_STREAM) return 'damaged';
  const content = inflateInSteps(packed, size);
  if (typeof content === 'string') return content;
  return endsEarly(packed, content) ? 'trailing' : content;
}

function inflateInSteps(packed: Uint8Array, size: number): Uint8Array | InflateFault {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((chunk) => {
    chunks.push(chunk);
    length += chunk.length;
  });
  try {
    for (let at = 0; at < packed.length; at += STEP) {
      stream.push(packed.subarray(at, at + STEP), at + STEP >= packed.length);
      if (length > size) return 'longer';
    }
  } catch {
    return 'damaged';
  }
  return length < size ? 'shorter' : concatenate(chunks, size);
}

/**
 * fflate does not tell how much input it used. A stream needs its last byte exactly if it fails without it; the second
 * run writes the same bytes over the first run's, so it costs time only.
 */
function endsEarly(packed: Uint8Array, content: Uint8Array): boolean {
  if (packed.length === LEAST_STREAM) return false;
  try {
    inflateSync(packed.subarray(0, -1), { out: content });
    return true;
  } catch {
    return false;
  }
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
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
