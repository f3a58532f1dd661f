import type { Fault, Reading, Sides } from './picture.ts';
import { fourCharacters } from './png.ts';

/** Length in bytes of the RIFF header with its form type, and of the type and size of a chunk (RFC 9649, 2.3 and 2.4). */
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** Length in bytes of the data of VP8X, and of the header of ANMF (2.7). */
const EXTENDED = 10;
const FRAME = 16;
/** The flag of VP8X that announces an animation (2.7). */
const ANIMATED = 0x02;

/** A chunk; `next` is the start of the following chunk. */
type Chunk = { readonly type: string; readonly data: number; readonly length: number; readonly next: number };
type Stretch = { readonly from: number; readonly end: number };

/**
 * Reads the sides of a WebP; the signature must be checked already. Every chunk must fit, and the container must match the
 * bitstreams inside (RFC 9649), because some readers use one and some the other. Does not decode image data.
 */
export function readWebp(bytes: Uint8Array): Reading {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = view.getUint32(4, true) + 8;
  if (end > bytes.length) return { fault: 'it is cut off: it is shorter than declared' };
  // Readers may ignore trailing data (2.4), but no WebP encoder writes any.
  if (end < bytes.length) return { fault: 'it has data after its end' };
  const [first] = chunksIn(view, { from: RIFF_HEADER, end });
  if (first === undefined) return { fault: 'it has no picture data' };
  if ('fault' in first) return first;
  if (isPicture(first)) return readStill(view, { from: RIFF_HEADER, end });
  if (first.type !== 'VP8X') return { fault: 'its first chunk is not allowed there' };
  if (first.length !== EXTENDED) return { fault: 'its header has a wrong length' };
  const canvas = { width: uint24(view, first.data + 4) + 1, height: uint24(view, first.data + 7) + 1 };
  const rest = { from: first.next, end };
  const isAnimated = (view.getUint8(first.data) & ANIMATED) !== 0;
  return isAnimated ? readAnimation(view, rest, canvas) : readStill(view, rest, canvas);
}

/** Reads a still image: one bitstream, with the declared sides if any are declared. */
function readStill(view: DataView, stretch: Stretch, promised?: Sides): Reading {
  let sides: Sides | undefined;
  for (const chunk of chunksIn(view, stretch)) {
    if ('fault' in chunk) return chunk;
    if (chunk.type === 'ANMF')
      return { fault: 'it has animation frames, but its header declares no animation' };
    if (!isPicture(chunk)) continue;
    if (sides !== undefined) return { fault: 'it has two images instead of one' };
    sides = bitstreamSides(view, chunk);
    if (sides === undefined) return { fault: 'its image data begins with an invalid header' };
  }
  if (sides === undefined) return { fault: 'it has no picture data' };
  if (promised !== undefined && (promised.width !== sides.width || promised.height !== sides.height)) {
    return { fault: `its header declares ${show(promised)} pixels, and its image has ${show(sides)}` };
  }
  return { sides };
}

function readAnimation(view: DataView, stretch: Stretch, canvas: Sides): Reading {
  let hasSettings = false;
  let frames = 0;
  for (const chunk of chunksIn(view, stretch)) {
    if ('fault' in chunk) return chunk;
    if (isPicture(chunk)) return { fault: 'it is an animation, but has an image outside its frames' };
    if (chunk.type === 'ANIM') hasSettings = true;
    if (chunk.type !== 'ANMF') continue;
    const fault = badFrameReason(view, chunk, canvas);
    if (fault !== undefined) return { fault };
    frames += 1;
  }
  return hasSettings && frames > 0 ? { sides: canvas } : { fault: 'it is an animation without frames' };
}

function badFrameReason(view: DataView, { data, length }: Chunk, canvas: Sides): string | undefined {
  if (length < FRAME) return 'a frame has no header';
  const [x = 0, y = 0, width = 0, height = 0] = [0, 3, 6, 9].map((offset) => uint24(view, data + offset));
  // Positions are stored in units of two pixels, sides minus one.
  if (2 * x + width + 1 > canvas.width || 2 * y + height + 1 > canvas.height) {
    return 'a frame is outside the image';
  }
  const promised = { width: width + 1, height: height + 1 };
  const reading = readStill(view, { from: data + FRAME, end: data + length }, promised);
  return 'fault' in reading ? `a frame is invalid: ${reading.fault}` : undefined;
}

/** The chunks of a part of the file, up to its end or to the first chunk that does not fit. */
function* chunksIn(view: DataView, { from, end }: Stretch): Generator<Chunk | Fault> {
  let at = from;
  while (at < end) {
    const data = at + CHUNK_HEADER;
    const length = data > end ? 0 : view.getUint32(at + 4, true);
    // Data of odd length is followed by a padding byte (2.3).
    const next = data + length + (length % 2);
    if (next > end) return yield { fault: 'a chunk extends beyond the end' };
    yield { type: fourCharacters(view, at), data, length, next };
    at = next;
  }
}

function isPicture({ type }: Chunk): boolean {
  return type === 'VP8 ' || type === 'VP8L';
}

function bitstreamSides(view: DataView, chunk: Chunk): Sides | undefined {
  return chunk.type === 'VP8 ' ? lossySides(view, chunk) : losslessSides(view, chunk);
}

/** From the header of a key frame (RFC 6386, 9.1), the only kind of frame in an image; the upper two bits are for scaling. */
function lossySides(view: DataView, { data, length }: Chunk): Sides | undefined {
  if (length < 10) return undefined;
  const tag = uint24(view, data);
  const isShownKeyFrame = (tag & 1) === 0 && ((tag >> 1) & 7) <= 3 && ((tag >> 4) & 1) === 1;
  const isWhole = tag >> 5 < length - 10;
  if (!isShownKeyFrame || !isWhole || uint24(view, data + 3) !== 0x2a019d) return undefined;
  return { width: view.getUint16(data + 6, true) & 0x3fff, height: view.getUint16(data + 8, true) & 0x3fff };
}

/** From the header of a lossless bitstream (RFC 9649, 3.4): a signature, 14 bits each for the sides, alpha, version 0. */
function losslessSides(view: DataView, { data, length }: Chunk): Sides | undefined {
  if (length < 6 || view.getUint8(data) !== 0x2f) return undefined;
  const bits = view.getUint32(data + 1, true);
  if (bits >>> 29 !== 0) return undefined;
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function show({ width, height }: Sides): string {
  return `${width} by ${height}`;
}
