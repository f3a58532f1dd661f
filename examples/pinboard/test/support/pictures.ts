import sharp from 'sharp';

/** A picture of one colour, with location and author metadata. */
export const picture = (
  { width = 400, height = 300, colour = '#3366cc' } = {},
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' = 'jpeg',
): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .withExif({ IFD0: { Artist: 'Ada Lovelace' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .toFormat(format)
    .toBuffer();

export async function sizeOf(bytes: Uint8Array): Promise<{ width: number; height: number }> {
  const { width, height } = await sharp(bytes).metadata();
  return { width, height };
}
