import type { Sides } from './sides.ts';

/** Length of the signature, of what frames the data of a chunk, and of the data of IHDR, in bytes (PNG, section 5). */
const SIGNATURE = 8;
const FRAME = 12;
const HEADER = 13;
/** Greatest side and greatest chunk that the format knows. */
const GREATEST = 0x7fff_ffff;

/** Bits per sample that each colour type may have (PNG, table 11.1). */
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);
/** The colour type that cannot do without a palette. */
const INDEXED = 3;

type Chunk = { readonly type: string; readonly data: number; readonly length: number };

/**
 * The sides of a PNG, whose signature has been seen; undefined when the file is not what it says: a chunk that does not
 * fit its checksum or the file, a header that allows no picture, no picture data, no end. Nothing is decoded.
 */
export function readPng(bytes: Uint8Array): Sides | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = chunkAt(bytes, view, SIGNATURE);
  if (first?.type !== 'IHDR' || first.length !== HEADER || !isHeader(view, first.data)) return undefined;
  const needed = new Set(view.getUint8(first.data + 9) === INDEXED ? ['PLTE', 'IDAT'] : ['IDAT']);
  let chunk = chunkAt(bytes, view, SIGNATURE + FRAME + HEADER);
  while (chunk !== undefined && chunk.type !== 'IHDR') {
    // What stands behind the end is no part of the picture; every decoder leaves it alone.
    if (chunk.type === 'IEND')
      return chunk.length === 0 && needed.size === 0 ? sidesAt(view, first.data) : undefined;
    if (chunk.length > 0) needed.delete(chunk.type);
    chunk = chunkAt(bytes, view, chunk.data + chunk.length + 4);
  }
  return undefined;
}

/** The chunk that starts here, or undefined when there is no whole and sound one. */
function chunkAt(bytes: Uint8Array, view: DataView, start: number): Chunk | undefined {
  if (start + FRAME > bytes.length) return undefined;
  const length = view.getUint32(start);
  const data = start + 8;
  if (length > bytes.length - data - 4) return undefined;
  const type = String.fromCharCode(...bytes.subarray(start + 4, data));
  if (!/^[A-Za-z]{4}$/.test(type)) return undefined;
  const sound = view.getUint32(data + length) === crc32(bytes, start + 4, data + length);
  return sound ? { type, data, length } : undefined;
}

function isHeader(view: DataView, at: number): boolean {
  const { width, height } = sidesAt(view, at);
  const [depth, colour, compression, filter, interlace] = [8, 9, 10, 11, 12].map((i) =>
    view.getUint8(at + i),
  );
  const isSized = width > 0 && height > 0 && width <= GREATEST && height <= GREATEST;
  const isColoured = DEPTHS.get(colour ?? -1)?.includes(depth ?? 0) === true;
  return isSized && isColoured && compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
}

function sidesAt(view: DataView, at: number): Sides {
  return { width: view.getUint32(at), height: view.getUint32(at + 4) };
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb8_8320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** CRC-32 of a stretch of bytes; here, because a browser has none and a chunk is too small to fetch one for. */
function crc32(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0xffff_ffff;
  for (let at = start; at < end; at += 1) {
    crc = (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
