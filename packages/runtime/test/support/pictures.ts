import { createHash } from 'node:crypto';
import sharp from 'sharp';

/** A photograph of 400 by 200: red on the left, blue on the right, with a place and an author. */
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
const NOISE = createHash('shake256', { outputLength: SIDE * SIDE * 3 })
  .update('noise')
  .digest();
/** A picture of nothing but noise, which no format makes much smaller. */
export const noise = () =>
  sharp(NOISE, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
