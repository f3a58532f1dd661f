import type { MediaRequest } from '@svc/contracts';
import type { OutputInfo, Sharp } from 'sharp';
import { enableDecoders, MAX_PIXELS } from './decoders.ts';
import {
  type ImageFormat,
  imageFormatOf,
  isOpaque,
  moves,
  type ReadableFormat,
  targetFormat,
} from './image-formats.ts';
import { MediaError, tooSmall } from './media-error.ts';
import { type OpenImage, openImage } from './open-image.ts';
import { cropRegion } from './regions.ts';
import { withoutMetadata } from './without-metadata.ts';

const DEFAULT_QUALITY = 80;
/** The qualities that are tried to reach a size. */
const QUALITIES = [10, 20, 30, 40, 50, 60, 70, 80, 90];
const LOWEST = 10;
const SHORTER = 0.95;
const MAX_ROUNDS = 12;

/** An encoded image. */
type Written = { data: Buffer; info: OutputInfo };

type Work = {
  image: OpenImage;
  given: ReadableFormat;
  format: ImageFormat;
  request: MediaRequest;
  bytes: Uint8Array;
};

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

/** The image with the dimensions of the request, from the start. */
function drawn({ image, format, request }: Work): Sharp {
  if (request.op === 'resize') return resized(image.read(), request, isOpaque(format));
  if (request.op === 'crop') return image.read().extract(cropRegion(image, request));
  return image.read();
}

/** Encodes an image. For lossless formats the quality is the number of colours. */
function written(image: Sharp, format: ImageFormat, quality: number | undefined): Promise<Written> {
  const flat = isOpaque(format) ? image.flatten({ background: '#ffffff' }) : image;
  const rounded = Math.round(quality ?? DEFAULT_QUALITY);
  const encoded = {
    jpeg: () => flat.jpeg({ quality: rounded, mozjpeg: quality !== undefined }),
    webp: () => flat.webp({ quality: rounded }),
    avif: () => flat.avif({ quality: rounded, effort: 2 }),
    gif: () => flat.gif({ colours: Math.max(2, Math.round((rounded / 100) * 256)) }),
    png: () =>
      flat.png(quality === undefined ? {} : { palette: true, quality: rounded, compressionLevel: 9 }),
  }[format]();
  return encoded.toBuffer({ resolveWithObject: true });
}

/** Encodes an image within a size, at the highest quality that fits. @returns the smallest result where none fits */
async function fitted(work: Work, maxBytes: number): Promise<Written> {
  const { format } = work;
  let best = await written(drawn(work), format, LOWEST);
  if (best.data.byteLength > maxBytes) return best;
  const better = QUALITIES.filter((quality) => quality > LOWEST);
  for (let low = 0, high = better.length - 1; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const tried = await written(drawn(work), format, better[middle]);
    if (tried.data.byteLength > maxBytes) high = middle - 1;
    else {
      best = tried;
      low = middle + 1;
    }
  }
  return best;
}

const tooLarge = (): MediaError => new MediaError('The result would be larger than the file.');

/**
 * Encodes an image with dimensions reduced in proportion to the excess size.
 * @param asked the size of the request; `maxBytes` is that of the file where it is smaller
 * @throws MediaError with the smallest possible size
 */
async function shrunk(
  { image, format }: Work,
  found: Written,
  maxBytes: number,
  asked: number,
): Promise<Buffer> {
  let [side, size] = [image.width, found.data.byteLength];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = Math.floor(side * Math.min(SHORTER, SHORTER * Math.sqrt(maxBytes / size)));
    if (next < 1) break;
    side = next;
    const { data } = await written(image.read().resize({ width: side }), format, LOWEST);
    if (data.byteLength <= maxBytes) return data;
    size = Math.min(size, data.byteLength);
  }
  throw size <= asked ? tooLarge() : tooSmall('picture', size);
}

/** Whether the request asks for more bytes: another format, or more pixels than there are. */
function mayGrow({ image, given, format, request }: Work): boolean {
  const { op, fit, width, height } = request;
  if (op === 'convert') return format !== given;
  if (op !== 'resize' || fit === undefined || width === undefined || height === undefined) return false;
  return width * height > image.width * image.height;
}

/** Whether a result has the dimensions of the image. */
const isWhole = ({ image }: Work, { info }: Written): boolean =>
  info.width === image.width && (info.pageHeight ?? info.height) === image.height;

/** The original without its metadata, where that is possible. Never where the request removes a part of the image. */
async function original(work: Work, result: Written): Promise<Uint8Array | null> {
  const { given, format, request, bytes } = work;
  const cuts = request.op === 'crop' || (request.width !== undefined && request.height !== undefined);
  const same =
    format === given && (!cuts || isWhole(work, result)) ? await withoutMetadata(bytes, format) : null;
  return same && same.byteLength <= bytes.byteLength ? same : null;
}

/**
 * Runs a request, so that the result has at most the bytes of the file, and of `targetKb`: at its quality, as the original, at a
 * lower quality, or, for `targetKb`, with smaller dimensions.
 */
async function operated(work: Work): Promise<Uint8Array> {
  const { format, request, bytes } = work;
  const { op, targetKb } = request;
  if (op === 'trim') throw new MediaError('Pictures cannot be trimmed.');
  const quality = op === 'convert' || op === 'compress' ? request.quality : undefined;
  const asked = op === 'compress' && targetKb !== undefined ? targetKb * 1024 : Number.POSITIVE_INFINITY;
  const maxBytes = Math.min(asked, mayGrow(work) ? asked : bytes.byteLength);
  const result =
    asked < bytes.byteLength ? await fitted(work, maxBytes) : await written(drawn(work), format, quality);
  if (result.data.byteLength <= maxBytes) return result.data;
  const same = await original(work, result);
  const fits = same !== null && same.byteLength <= maxBytes;
  if (fits && isWhole(work, result)) return same;
  const lower = asked < bytes.byteLength ? result : await fitted(work, maxBytes);
  if (lower.data.byteLength <= maxBytes) return lower.data;
  if (fits) return same;
  if (targetKb !== undefined) return shrunk(work, lower, maxBytes, asked);
  throw tooLarge();
}

/**
 * Runs a media operation on an image. The result contains no metadata, and is not larger than the image unless the request asks for it.
 * @throws MediaError; the errors of decoders for a damaged image
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
  const image = await openImage(bytes, given, moves(format));
  return { bytes: await operated({ image, given, format, request, bytes }), type: `image/${format}` };
}
