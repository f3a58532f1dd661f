import type { Fault, Reading, Sides } from './picture.ts';

/** The second byte of a marker; the first is 0xff (ITU-T T.81, table B.1). */
const SOF0 = 0xc0;
const SOF2 = 0xc2;
const DHT = 0xc4;
const DAC = 0xcc;
const SOF15 = 0xcf;
const RST0 = 0xd0;
const RST7 = 0xd7;
const EOI = 0xd9;
const SOS = 0xda;
const DRI = 0xdd;
const APP0 = 0xe0;
const APP15 = 0xef;
const COM = 0xfe;

/**
 * Maximum number of scans. Encoders write 1, or about 10 in a progressive JPEG. A decoder processes all pixels for each scan,
 * so a small file with thousands of scans would take hours.
 */
const MAX_SCANS = 100;

/** A marker with its segment; the end of the picture has no segment. */
type Segment = { readonly marker: number; readonly data: number; readonly end: number };
type Frame = { readonly sides: Sides; readonly components: number };
/** The state of reading up to `at`. */
type Progress = { readonly at: number; readonly frame: Frame | undefined; readonly scans: number };

/**
 * Reads the sides of a JPEG from its frame header; the first marker must be checked already. Follows every segment and scan
 * up to the end of the picture (ITU-T T.81, annex B); a sequence that browsers do not support is a fault. Does not decode
 * image data.
 */
export function readJpeg(bytes: Uint8Array): Reading {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let progress: Progress = { at: 2, frame: undefined, scans: 0 };
  for (;;) {
    const segment = segmentAt(view, progress.at);
    if ('fault' in segment) return segment;
    // Cameras append data that JPEG decoders ignore: more pictures (CIPA DC-007), gain maps, a short video.
    if (segment.marker === EOI) return endOf(progress);
    const next = advance(bytes, view, segment, progress);
    if ('fault' in next) return next;
    progress = next;
  }
}

function advance(bytes: Uint8Array, view: DataView, segment: Segment, before: Progress): Progress | Fault {
  if (segment.marker === SOS) {
    const fault = badScanReason(view, segment, before);
    if (fault !== undefined) return { fault };
    const at = endOfScan(bytes, segment.end);
    const scans = before.scans + 1;
    return at > segment.end ? { ...before, at, scans } : { fault: 'one of its scans is empty' };
  }
  if (!isFrame(segment.marker)) return { ...before, at: segment.end };
  if (before.frame !== undefined) return { fault: 'it has two frame headers' };
  const frame = readFrame(view, segment);
  return 'fault' in frame ? frame : { ...before, at: segment.end, frame };
}

function endOf({ frame, scans }: Progress): Reading {
  if (frame === undefined) return { fault: 'it has no frame header, which would give its size' };
  return scans === 0 ? { fault: 'it has no picture data' } : { sides: frame.sides };
}

/** The marker at this position, after any number of fill bytes (B.1.1.2), with its segment. */
function segmentAt(view: DataView, start: number): Segment | Fault {
  let at = start;
  while (at + 1 < view.byteLength && view.getUint16(at) === 0xffff) at += 1;
  if (at + 2 > view.byteLength) return { fault: 'it is cut off: its end marker is missing' };
  if (view.getUint8(at) !== 0xff) return { fault: `it has no marker at byte ${at}, where one is required` };
  const marker = view.getUint8(at + 1);
  const data = at + 2;
  if (marker === EOI) return { marker, data, end: data };
  if (!isFrame(marker) && !isKnown(marker)) {
    return {
      fault: `it has the marker 0xff${marker.toString(16).padStart(2, '0')}, which is not allowed there`,
    };
  }
  if (data + 2 > view.byteLength) return { fault: 'it is cut off in the middle of a segment' };
  const length = view.getUint16(data);
  const isWhole = length >= 2 && data + length <= view.byteLength;
  return isWhole
    ? { marker, data: data + 2, end: data + length }
    : { fault: 'it is cut off, or a segment declares a wrong length' };
}

/** The range of start-of-frame markers also contains three other markers, of which 0xc8 is reserved. */
function isFrame(marker: number): boolean {
  return marker >= SOF0 && marker <= SOF15 && marker !== DHT && marker !== DAC && marker !== 0xc8;
}

/** Segments that do not affect the frame: tables (DHT, DQT, DNL, DRI), scans, APPn and comments. */
function isKnown(marker: number): boolean {
  return (
    marker === DHT ||
    (marker >= SOS && marker <= DRI) ||
    (marker >= APP0 && marker <= APP15) ||
    marker === COM
  );
}

/** Reads the frame header (B.2.2) of a process that browsers support. */
function readFrame(view: DataView, { marker, data, end }: Segment): Frame | Fault {
  if (marker > SOF2) return { fault: `it is ${processOf(marker)}, which browsers do not support` };
  if (end - data < 6) return { fault: 'its frame header is too short' };
  const components = view.getUint8(data + 5);
  if (end - data !== 6 + 3 * components) return { fault: 'its frame header declares a wrong length' };
  const precision = view.getUint8(data);
  if (precision !== 8) return { fault: `it has ${precision} bits per sample, and browsers only support 8` };
  // Greyscale, YCbCr or RGB, and CMYK.
  if (![1, 3, 4].includes(components)) return { fault: `it has ${components} colour components` };
  return { sides: { width: view.getUint16(data + 3), height: view.getUint16(data + 1) }, components };
}

/** Table B.1: the two lowest bits mean lossless, the third differential (hierarchical), the fourth arithmetic. */
function processOf(marker: number): string {
  if (marker & 0x08) return 'coded arithmetically';
  return marker & 0x04 ? 'hierarchical' : 'lossless';
}

/** Why the scan header (B.2.3) does not match the frame. */
function badScanReason(
  view: DataView,
  { data, end }: Segment,
  { frame, scans }: Progress,
): string | undefined {
  if (frame === undefined) return 'its image data precedes its frame header';
  if (scans === MAX_SCANS) return `it has more than ${MAX_SCANS} scans`;
  const components = end > data ? view.getUint8(data) : 0;
  const isSound = components >= 1 && components <= frame.components && end - data === 4 + 2 * components;
  return isSound ? undefined : 'a scan header does not match the frame header';
}

/**
 * The end of the entropy-coded data: the first marker that is neither a stuffed zero nor a restart
 * (B.1.1.5), or the end of the file.
 */
function endOfScan(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(0xff, start);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= RST0 && next <= RST7)) return at;
    at += next === 0xff ? 1 : 2;
    // `indexOf` is fast for long distances but slow to start, and a file could require a start at every byte.
    if (bytes[at] !== 0xff) at = bytes.indexOf(0xff, at);
  }
  return bytes.length;
}
