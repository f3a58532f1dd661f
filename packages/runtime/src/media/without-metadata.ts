import sharp from 'sharp';
import type { ImageFormat } from './image-formats.ts';

/** Chunks of a PNG that draw it (PNG, third edition, section 11): what says who made it, when and where is none of them. */
const PNG_CHUNKS = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

/** A PNG of the chunks that draw it; null for what is no whole PNG. */
function barePng(bytes: Buffer): Buffer | null {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (PNG_CHUNKS.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return null;
}

/** Whether a segment of a JPEG says something about it, and draws nothing: APP1 to APP13, APP15 and comments (ITU-T T.81, B.2.4). */
const isAside = (marker: number): boolean =>
  (marker >= 0xe1 && marker <= 0xed) || marker === 0xef || marker === 0xfe;

/** A JPEG without such segments; null for what is no plain JPEG. What stands behind its end is left out. */
function bareJpeg(bytes: Buffer): Buffer | null {
  const kept = [bytes.subarray(0, 2)];
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker < 0xc0) return null;
    if (marker === 0xda) {
      const end = bytes.lastIndexOf(Buffer.from([0xff, 0xd9]));
      // A second picture behind the first one, as telephones put there, brings its own segments.
      const isSingle = end > at && !bytes.subarray(at, end).includes(Buffer.from([0xff, 0xd8, 0xff]));
      return isSingle ? Buffer.concat([...kept, bytes.subarray(at, end + 2)]) : null;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return null;
    if (!isAside(marker)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return null;
}

/**
 * A picture as it was, without what it says about place, camera and author, and without being written again. Null where that
 * cannot be had: it lies on its side, has colours of its own, or a form that is not taken apart here.
 */
export async function withoutMetadata(bytes: Uint8Array, format: ImageFormat): Promise<Uint8Array | null> {
  const { orientation = 1, icc, exif, xmp, iptc, comments } = await sharp(bytes).metadata();
  if (orientation !== 1 || icc) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'png') return barePng(buffer);
  if (format === 'jpeg') return bareJpeg(buffer);
  return exif || xmp || iptc || comments?.length ? null : bytes;
}
