import sharp from 'sharp';
import { BoardError } from './board-error.ts';

/** A stored picture: always re-encoded as WebP, so that only pixels are kept. */
export type Picture = { bytes: Uint8Array; width: number; height: number };

/** Limits: bytes and pixels of an uploaded picture, and the longer side of the stored one. */
export const MAX_BYTES = 10 * 1024 * 1024;
const MAX_PIXELS = 50_000_000;
const MAX_SIDE = 1600;

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString('latin1');

/** Signatures of accepted formats. SVG is not accepted: it can contain scripts. */
const isTaken = (bytes: Uint8Array): boolean =>
  ascii(bytes, 0, 3) === '\xff\xd8\xff' ||
  ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' ||
  /^GIF8[79]a$/.test(ascii(bytes, 0, 6)) ||
  /^ftypavi[fs]$/.test(ascii(bytes, 4, 12)) ||
  (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP');

/**
 * Converts an uploaded picture for storage: upright, without location, author or camera, with at most 1600 pixels per side.
 * @throws BoardError when it is not a picture, or too large
 */
export async function readPicture(bytes: Uint8Array): Promise<Picture> {
  if (bytes.length > MAX_BYTES) throw new BoardError(413, `A picture may have ${MAX_BYTES} bytes.`);
  if (!isTaken(bytes)) throw new BoardError(415, 'Only pictures are pinned: JPEG, PNG, WebP, AVIF or GIF.');
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch {
    throw new BoardError(415, `The picture is broken, or has more than ${MAX_PIXELS} pixels.`);
  }
}

const CELL = 320;
const GAP = 16;

/**
 * Arranges pictures in a grid, as one PNG.
 * @param columns maximum number of columns
 */
export async function contactSheet(pictures: readonly Uint8Array[], columns: number): Promise<Buffer> {
  const across = Math.min(columns, pictures.length);
  const down = Math.ceil(pictures.length / across);
  const placed = pictures.map(async (bytes, index) => ({
    input: await sharp(bytes).resize(CELL, CELL, { fit: 'contain', background: '#ffffff' }).png().toBuffer(),
    left: GAP + (index % across) * (CELL + GAP),
    top: GAP + Math.floor(index / across) * (CELL + GAP),
  }));
  const [width, height] = [across, down].map((cells) => GAP + cells * (CELL + GAP));
  return sharp({ create: { width: width ?? 0, height: height ?? 0, channels: 3, background: '#ffffff' } })
    .composite(await Promise.all(placed))
    .png()
    .toBuffer();
}
