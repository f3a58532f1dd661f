import type { MediaRequest } from '@svc/contracts';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { enableDecoders, MAX_PIXELS, openPicture } from './decoders.ts';
import {
  type ImageFormat,
  imageFormatOf,
  isOpaque,
  moves,
  type ReadableFormat,
  targetFormat,
} from './image-formats.ts';
import { MediaError, tooSmall } from './media-task.ts';
import { cropRegion } from './regions.ts';

/** An image, upright: its dimensions in pixels, and what reads it from the start. */
type OpenImage = { width: number; height: number; read(): Sharp };

type Pixels = { width: number; height: number; data: Uint8Array };

const tooManyPixels = (): MediaError => new MediaError('The picture has too many pixels.');

/** HEIC, the photos of iPhones, which sharp cannot decode. WebAssembly; `libheif-js` is an optional peer dependency. */
async function heicPixels(bytes: Uint8Array): Promise<Pixels> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js').catch(() => {
    throw new MediaError('HEIC pictures cannot be converted: the package libheif-js is not installed.');
  });
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find((one) => one.is_primary()) ?? images[0];
  if (!image) throw new MediaError('The file cannot be read.');
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > MAX_PIXELS) throw tooManyPixels();
  const pixels = { width, height, data: new Uint8Array(width * height * 4) };
  const drawn = await new Promise<Pixels | null>((done) => image.display(pixels, done));
  if (!drawn) throw new MediaError('The file cannot be read.');
  return drawn;
}

async function bmpPixels(bytes: Uint8Array): Promise<Pixels> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The decoder reserves memory for the dimensions of the header (BITMAPINFOHEADER), which may be negative.
  if (Math.abs(view.getInt32(18, true)) * Math.abs(view.getInt32(22, true)) > MAX_PIXELS)
    throw tooManyPixels();
  const { decode } = await import('bmp-ts');
  const { width, height, data } = decode(Buffer.from(bytes), { toRGBA: true });
  // The fourth byte of a pixel is nearly always unused, and no transparency.
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { width, height: Math.abs(height), data };
}

const ofPixels = ({ width, height, data }: Pixels): OpenImage => ({
  width,
  height,
  read: () => sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: MAX_PIXELS }),
});

/**
 * Opens an image and applies its EXIF orientation. Writers drop all metadata (place, camera, author).
 * @param animated whether all frames are read
 * @throws MediaError; the errors of decoders for a damaged image
 */
async function openImage(bytes: Uint8Array, given: ReadableFormat, animated: boolean): Promise<OpenImage> {
  if (given === 'heic') return ofPixels(await heicPixels(bytes));
  if (given === 'bmp') return ofPixels(await bmpPixels(bytes));
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated });
  const { autoOrient, pageHeight, pages = 1 } = await open().metadata();
  // The result would have only the first page.
  if (given === 'tiff' && pages > 1) throw new MediaError('Documents of several pages cannot be converted.');
  const height = animated && pages > 1 ? (pageHeight ?? autoOrient.height) : autoOrient.height;
  return { width: autoOrient.width, height, read: () => open().autoOrient() };
}

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

/** Draws a picture of an app as a PNG, with at most this side in pixels: an SVG in this size, a smaller bitmap in its own. */
export async function drawPicture(bytes: Uint8Array, side: number): Promise<Uint8Array> {
  enableDecoders('drawings');
  const { within } = await openPicture(bytes, MAX_PIXELS);
  return within(side).png({ compressionLevel: 9 }).toBuffer();
}
