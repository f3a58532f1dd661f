import sharp, { type Sharp } from 'sharp';

/** Maximum pixels of all frames of a file, before and after: enough for cameras, and a limit for decompression bombs. */
export const MAX_PIXELS = 100_000_000;

/** Decoders of sharp that this process may run, by the end of their names in libvips. */
const FILES = ['Png', 'Jpeg', 'Webp', 'Heif', 'Nsgif', 'Tiff'];
const DRAWINGS = ['Png', 'Jpeg', 'Webp', 'Svg'];

sharp.concurrency(1);
sharp.cache(false);

/** Enables only these decoders, whatever type a file claims. One task runs at a time in a process. */
export function enableDecoders(of: 'files' | 'drawings'): void {
  const names = of === 'files' ? FILES : DRAWINGS;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: names.map((name) => `VipsForeignLoad${name}Buffer`) });
}

/** Resolution at which an SVG has the size that it declares, and the longest side of a larger one, in pixels. */
const SVG_DPI = 72;
const SVG_SIDE = 4_096;

/**
 * Opens a picture of an app as browsers show it: turned as its EXIF data say. An SVG that declares thousands of pixels is drawn smaller at
 * once.
 * @returns what resizes it within a square of this side in pixels: an SVG to this size, a smaller bitmap keeps its own
 */
export async function openPicture(
  bytes: Uint8Array,
  limitInputPixels: number,
): Promise<{ image: Sharp; isDrawing: boolean; within(side: number): Sharp }> {
  const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
  const isDrawing = format === 'svg';
  const density = Math.max(1, SVG_DPI * Math.min(1, SVG_SIDE / Math.max(width, height)));
  const image = sharp(bytes, { limitInputPixels, autoOrient: true, ...(isDrawing && { density }) });
  const within = (side: number) =>
    image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: !isDrawing });
  return { image, isDrawing, within };
}
