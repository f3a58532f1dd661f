import { crc32 } from '#crc32';
import type { Fault, Reading, Sides } from './picture.ts';

/** The four bytes at a position as characters: the chunk types of PNG and RIFF. */
export function fourCharacters(view: DataView, at: number): string {
  const [a, b, c, d] = [
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  ];
  return String.fromCharCode(a, b, c, d);
}

/** Length in bytes of the signature, of a chunk without its data, and of the data of IHDR (PNG, section 5). */
const SIGNATURE = 8;
const FRAME = 12;
const HEADER = 13;

/** Bits per sample that each colour type may have (PNG, table 11.1). */
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);
/** The colour type that requires a palette. */
const INDEXED = 3;

type Chunk = { readonly type: string; readonly data: number; readonly length: number };

/**
 * The last bytes of every PNG. Tools that overwrote an image with its cropped version without truncating the file left the
 * rest of the original there, from which the hidden part can be restored (CVE-2023-21036, CVE-2023-28303).
 */
const END = 'IEND\xae\x42\x60\x82';

/**
 * Reads the sides of a PNG from its header; the signature must be checked already. Reports a fault for an invalid file: a
 * chunk that does not match its checksum or the file, an invalid header, no image data, no end. Does not decode image
 * data.
 */
export function readPng(bytes: Uint8Array): Reading {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = chunkAt(bytes, view, SIGNATURE);
  if ('fault' in first) return first;
  if (first.type !== 'IHDR')
    return { fault: `it begins with the chunk "${first.type}" instead of its header` };
  if (first.length !== HEADER || !isHeader(view, first.data)) return { fault: 'its header is invalid' };
  const isIndexed = view.getUint8(first.data + 9) === INDEXED;
  const fault = badRestReason(bytes, view, isIndexed);
  return fault === undefined ? { sides: sidesAt(view, first.data) } : { fault };
}

function badRestReason(bytes: Uint8Array, view: DataView, isIndexed: boolean): string | undefined {
  let hasPalette = false;
  let hasData = false;
  let at = SIGNATURE + FRAME + HEADER;
  for (;;) {
    const chunk = chunkAt(bytes, view, at);
    if ('fault' in chunk) return chunk.fault;
    if (chunk.type === 'IHDR') return 'it has two headers';
    if (chunk.type === 'IEND') return badEndReason(bytes, chunk, hasData);
    hasPalette ||= isFilled(chunk, 'PLTE');
    hasData ||= isFilled(chunk, 'IDAT');
    if (hasData && isIndexed && !hasPalette) return 'its palette is missing';
    at = chunk.data + chunk.length + 4;
  }
}

function isFilled(chunk: Chunk, type: string): boolean {
  return chunk.type === type && chunk.length > 0;
}

/** Data after the end is ignored, as by every decoder, unless it is the rest of a cropped image. */
function badEndReason(bytes: Uint8Array, end: Chunk, hasData: boolean): string | undefined {
  if (!hasData) return 'it has no picture data';
  if (end.length > 0) return 'its end is not empty';
  const last = bytes.subarray(Math.max(end.data + 4, bytes.length - END.length));
  return String.fromCharCode(...last) === END
    ? 'it contains the rest of another image after its end, as some cropping tools leave it: save it again'
    : undefined;
}

/** The chunk at this position. */
function chunkAt(bytes: Uint8Array, view: DataView, start: number): Chunk | Fault {
  if (start + FRAME > bytes.length) return { fault: 'it is cut off' };
  const length = view.getUint32(start);
  const data = start + 8;
  const type = fourCharacters(view, start + 4);
  if (!/^[A-Za-z]{4}$/.test(type))
    return { fault: `it has no chunk at byte ${start}, where one is required` };
  if (length > bytes.length - data - 4)
    return { fault: `it is cut off, or its chunk "${type}" declares a wrong length` };
  if (view.getUint32(data + length) !== crc32(bytes, start + 4, data + length)) {
    return { fault: `its chunk "${type}" does not match its checksum` };
  }
  return { type, data, length };
}

function isHeader(view: DataView, at: number): boolean {
  const [depth, colour, compression, filter, interlace] = [8, 9, 10, 11, 12].map((i) =>
    view.getUint8(at + i),
  );
  const isColoured = DEPTHS.get(colour ?? -1)?.includes(depth ?? 0) === true;
  return isColoured && compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
}

function sidesAt(view: DataView, at: number): Sides {
  return { width: view.getUint32(at), height: view.getUint32(at + 4) };
}
