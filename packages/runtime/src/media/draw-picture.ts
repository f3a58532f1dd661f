import sharp from 'sharp';
import { enableDecoders, MAX_PIXELS } from './decoders.ts';

/** Draws a picture of an app as a PNG, with at most this side in pixels: an SVG in this size, a smaller bitmap in its own. */
export async function drawPicture(bytes: Uint8Array, side: number): Promise<Uint8Array> {
  enableDecoders('drawings');
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS });
  const isDrawing = (await image.metadata()).format === 'svg';
  const size = { width: side, height: side, fit: 'inside', withoutEnlargement: !isDrawing } as const;
  return image.resize(size).png({ compressionLevel: 9 }).toBuffer();
}
