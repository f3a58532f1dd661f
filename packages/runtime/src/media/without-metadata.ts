import sharp from 'sharp';
import type { ImageFormat } from './image-formats.ts';

/** The PNG chunks needed to draw an image (PNG, third edition, section 11). Author, time and place are in other chunks. */
const PNG_CHUNKS = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

/** A PNG with only these chunks; null if it is not a complete PNG. */
function barePng(bytes: Buffer): Buffer | null {
  const chunks = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (PNG_CHUNKS.has(type)) chunks.push(bytes.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(chunks);
    at = end;
  }
  return null;
}

/** Whether a JPEG segment is metadata: APP1 to APP13, APP15 and comments (ITU-T T.81, B.2.4). */
const isMetadata = (marker: number): boolean =>
  (marker >= 0xe1 && marker <= 0xed) || marker === 0xef || marker === 0xfe;

/** A JPEG without metadata segments; null if it is not a plain JPEG. Data after the end of the image is dropped. */
function bareJpeg(bytes: Buffer): Buffer | null {
  const segments = [bytes.subarray(0, 2)];
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker < 0xc0) return null;
    if (marker === 0xda) {
      const end = bytes.lastIndexOf(Buffer.from([0xff, 0xd9]));
      // Phones append a second image, which has segments of its own.
      const isSingle = end > at && !bytes.subarray(at, end).includes(Buffer.from([0xff, 0xd8, 0xff]));
      return isSingle ? Buffer.concat([...segments, bytes.subarray(at, end + 2)]) : null;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return null;
    if (!isMetadata(marker)) segments.push(bytes.subarray(at, end));
    at = end;
  }
  return null;
}

/**
 * Removes the metadata (place, camera, author) of an image without re-encoding it. Null where that is not possible: the image is
 * rotated by EXIF, has a colour profile, or is of another format.
 */
export async function withoutMetadata(bytes: Uint8Array, format: ImageFormat): Promise<Uint8Array | null> {
  const { orientation = 1, icc, exif, xmp, iptc, comments } = await sharp(bytes).metadata();
  if (orientation !== 1 || icc) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'png') return barePng(buffer);
  if (format === 'jpeg') return bareJpeg(buffer);
  return exif || xmp || iptc || comments?.length ? null : bytes;
}
