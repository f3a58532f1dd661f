import sharp, { type Sharp } from 'sharp';
import { MAX_PIXELS } from './decoders.ts';
import type { ReadableFormat } from './image-formats.ts';
import { MediaError } from './media-error.ts';

/** An image, upright: its dimensions in pixels, and what reads it from the start. */
export type OpenImage = { width: number; height: number; read(): Sharp };

type Pixels = { width: number; height: number; data: Uint8Array };

const tooLarge = (): MediaError => new MediaError('The picture has too many pixels.');

/** HEIC, the photos of iPhones, which sharp cannot decode. WebAssembly; `libheif-js` is an optional peer dependency. */
async function heicPixels(bytes: Uint8Array): Promise<Pixels> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js').catch(() => {
    throw new MediaError('HEIC pictures cannot be converted: the package libheif-js is not installed.');
  });
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find((one) => one.is_primary()) ?? images[0];
  if (!image) throw new MediaError('The file cannot be read.');
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > MAX_PIXELS) throw tooLarge();
  const pixels = { width, height, data: new Uint8Array(width * height * 4) };
  const drawn = await new Promise<Pixels | null>((done) => image.display(pixels, done));
  if (!drawn) throw new MediaError('The file cannot be read.');
  return drawn;
}

async function bmpPixels(bytes: Uint8Array): Promise<Pixels> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The decoder reserves memory for the dimensions of the header (BITMAPINFOHEADER), which may be negative.
  if (Math.abs(view.getInt32(18, true)) * Math.abs(view.getInt32(22, true)) > MAX_PIXELS) throw tooLarge();
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
export async function openImage(
  bytes: Uint8Array,
  given: ReadableFormat,
  animated: boolean,
): Promise<OpenImage> {
  if (given === 'heic') return ofPixels(await heicPixels(bytes));
  if (given === 'bmp') return ofPixels(await bmpPixels(bytes));
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated });
  const { autoOrient, pageHeight, pages = 1 } = await open().metadata();
  // The result would have only the first page.
  if (given === 'tiff' && pages > 1) throw new MediaError('Documents of several pages cannot be converted.');
  const height = animated && pages > 1 ? (pageHeight ?? autoOrient.height) : autoOrient.height;
  return { width: autoOrient.width, height, read: () => open().autoOrient() };
}
