import type { MediaRequest } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import sharp, { type Sharp } from 'sharp';
import { enableDecoders, MAX_PIXELS } from './decoders.ts';
import { type ImageFormat, imageFormatOf, isOpaque, moves, targetFormat } from './image-formats.ts';
import { MediaError } from './media-error.ts';
import { cropRegion } from './regions.ts';
import { withoutMetadata } from './without-metadata.ts';

const DEFAULT_QUALITY = 80;
/** For results that are larger than the original. */
const COMPACT_QUALITY = 60;
/** The qualities that `compress` tries to reach a size in kilobytes, before it reduces the dimensions. */
const QUALITIES = [10, 20, 30, 40, 50, 60, 70, 80, 90];
const SHORTER = 0.95;
const MAX_ROUNDS = 8;

/** Opens an image, and applies its EXIF orientation. The writers below drop all metadata (place, camera, author). */
async function opened(
  bytes: Uint8Array,
  target: ImageFormat,
): Promise<{ image: Sharp; width: number; height: number }> {
  const animated = moves(target);
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated });
  const { autoOrient, pageHeight, pages = 1 } = await image.metadata();
  const height = pages > 1 ? (pageHeight ?? autoOrient.height) : autoOrient.height;
  return { image: image.autoOrient(), width: autoOrient.width, height };
}

function resized(
  image: Sharp,
  { width, height, fit, gravity = 'center' }: MediaRequest,
  opaque: boolean,
): Sharp {
  if ((width ?? 1) * (height ?? 1) > MAX_PIXELS) throw new MediaError('The picture would be too large.');
  return image.resize({
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    fit: width !== undefined && height !== undefined ? (fit ?? 'cover') : 'inside',
    // A request with a `fit` and both sides asks for exactly these dimensions.
    withoutEnlargement: fit === undefined || width === undefined || height === undefined,
    position: gravity,
    background: opaque ? '#ffffff' : { r: 0, g: 0, b: 0, alpha: 0 },
  });
}

/** Encodes an image. For lossless formats the quality is the number of colours. */
function written(image: Sharp, format: ImageFormat, quality: number | undefined): Promise<Buffer> {
  const flat = isOpaque(format) ? image.clone().flatten({ background: '#ffffff' }) : image.clone();
  const rounded = Math.round(quality ?? DEFAULT_QUALITY);
  switch (format) {
    case 'jpeg':
      return flat.jpeg({ quality: rounded, mozjpeg: quality !== undefined }).toBuffer();
    case 'webp':
      return flat.webp({ quality: rounded }).toBuffer();
    case 'avif':
      return flat.avif({ quality: rounded, effort: 2 }).toBuffer();
    case 'gif':
      return flat.gif({ colours: Math.max(2, Math.round((rounded / 100) * 256)) }).toBuffer();
    case 'png':
      return flat.png(quality === undefined ? {} : { palette: true, quality: rounded }).toBuffer();
  }
}

/** Encodes an image within a size: at the highest quality that fits, or else at the lowest and with smaller dimensions. */
async function fitted(image: Sharp, format: ImageFormat, width: number, bytes: number): Promise<Buffer> {
  const [lowest = 10, ...better] = QUALITIES;
  let best = await written(image, format, lowest);
  if (best.byteLength > bytes) return shrunk(image, format, { width, lowest, bytes, found: best.byteLength });
  for (let low = 0, high = better.length - 1; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const tried = await written(image, format, better[middle]);
    if (tried.byteLength > bytes) high = middle - 1;
    else {
      best = tried;
      low = middle + 1;
    }
  }
  return best;
}

/** Encodes an image with dimensions reduced in proportion to the excess size. */
async function shrunk(
  image: Sharp,
  format: ImageFormat,
  { width, lowest, bytes, found }: { width: number; lowest: number; bytes: number; found: number },
): Promise<Buffer> {
  const whole = await written(image, 'png', undefined);
  let [side, size] = [width, found];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    side = Math.floor(side * SHORTER * Math.sqrt(bytes / size));
    if (side < 1) break;
    const result = await written(sharp(whole).resize({ width: side }), format, lowest);
    if (result.byteLength <= bytes) return result;
    size = result.byteLength;
  }
  throw new MediaError('The picture cannot be made that small.');
}

async function operated(bytes: Uint8Array, format: ImageFormat, request: MediaRequest): Promise<Buffer> {
  const { image, width, height } = await opened(bytes, format);
  switch (request.op) {
    case 'resize':
      return written(resized(image, request, isOpaque(format)), format, undefined);
    case 'crop':
      return written(image.extract(cropRegion({ width, height }, request)), format, undefined);
    case 'convert':
      return written(image, format, request.quality);
    case 'compress': {
      if (request.targetKb === undefined) return written(image, format, request.quality);
      return fitted(image, format, width, Math.min(request.targetKb * 1024, bytes.byteLength));
    }
    case 'trim':
      throw new MediaError('Pictures cannot be trimmed.');
  }
}

/** Encodes an image in fewer bytes: with fewer colours in lossless formats, or else at a lower quality. */
function compact(result: Uint8Array, format: ImageFormat): Promise<Buffer> {
  const image = sharp(result, { animated: moves(format) });
  return format === 'png'
    ? image.png({ palette: true, compressionLevel: 9 }).toBuffer()
    : written(image, format, COMPACT_QUALITY);
}

/**
 * Chooses between the result and the original: preparing a file must not increase its size, unless its format changes. The original
 * is never used where the request removes a part of it.
 */
async function smaller(
  { bytes, given, format }: { bytes: Uint8Array; given: ImageFormat; format: ImageFormat },
  request: MediaRequest,
  result: Uint8Array,
): Promise<Uint8Array> {
  if (format !== given || result.byteLength < bytes.byteLength) return result;
  const cuts = request.op === 'crop' || (request.width !== undefined && request.height !== undefined);
  if (request.op === 'crop' || request.op === 'resize') {
    const tried = await compact(result, format);
    if (tried.byteLength < bytes.byteLength) return tried;
  }
  const original = cuts ? null : await withoutMetadata(bytes, given);
  return original ?? result;
}

/**
 * Runs a media operation on an image. The result contains no metadata.
 * @throws MediaError; the errors of sharp for a damaged image
 */
export async function prepareImage(
  bytes: Uint8Array,
  type: string,
  request: MediaRequest,
): Promise<{ bytes: Uint8Array; type: string }> {
  enableDecoders('files');
  const given = imageFormatOf(type);
  if (!given) throw new MediaError(`Files of type ${type} cannot be converted.`);
  const format = targetFormat(given, request);
  const result = await smaller({ bytes, given, format }, request, await operated(bytes, format, request));
  const { max } = LIMITS.media.dimension;
  const { width, height, pageHeight } = await sharp(result).metadata();
  if (width > max || (pageHeight ?? height) > max) throw new MediaError('The picture would be too large.');
  return { bytes: result, type: `image/${format}` };
}
