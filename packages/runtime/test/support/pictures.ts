import { createHash } from 'node:crypto';
import sharp from 'sharp';

/** A photograph of 400 by 200: red on the left, blue on the right, with a location and an author in its metadata. */
export async function photograph(format: 'jpeg' | 'png' | 'webp' = 'jpeg'): Promise<Buffer> {
  const blue = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
  return sharp({ create: { width: 400, height: 200, channels: 3, background: '#ff0000' } })
    .composite([{ input: blue, left: 200, top: 0 }])
    .withExif({ IFD0: { Artist: 'Ada Lovelace' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .toFormat(format)
    .toBuffer();
}

const SIDE = 120;
export const NOISE = createHash('shake256', { outputLength: SIDE * SIDE * 3 })
  .update('noise')
  .digest();
/** A picture of noise, which no format compresses well. */
export const noise = () =>
  sharp(NOISE, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();

/** A drawing of 1,600 by 900 in few colours, highly compressed. */
export function chart(format: 'png' | 'jpeg' | 'webp'): Promise<Buffer> {
  const [width, height] = [1_600, 900];
  const pixels = Buffer.alloc(width * height * 3, 255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const bar = Math.floor(x / 20);
      if (x % 20 < 15 && y > (bar * 37) % 700)
        pixels.fill((bar % 8) * 30, (y * width + x) * 3, (y * width + x) * 3 + 2);
    }
  }
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  if (format === 'png') return image.png({ palette: true, colours: 16, compressionLevel: 9 }).toBuffer();
  return image.toFormat(format, { quality: 10 }).toBuffer();
}

/** A BMP of 32 bits: red on the left, blue on the right, the fourth bytes 0. @param claimed the sides in its header */
export function bmp(width: number, height: number, { claimed }: { claimed?: number } = {}): Buffer {
  const file = Buffer.alloc(54 + width * height * 4);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, claimed ?? width],
    [22, claimed ?? height],
  ] as const)
    file.writeUInt32LE(value, at);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(32, 28);
  for (let at = 0; at < width * height; at += 1) file[54 + at * 4 + (at % width < width / 2 ? 2 : 0)] = 255;
  return file;
}
