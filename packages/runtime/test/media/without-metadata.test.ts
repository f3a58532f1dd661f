import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { withoutMetadata } from '../../src/media/without-metadata.ts';
import { photograph } from '../support/pictures.ts';

const pixelsOf = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();

describe('a picture without its metadata', () => {
  it.each(['png', 'jpeg'] as const)('has the same pixels as the %s with metadata', async (format) => {
    const given = await photograph(format);
    expect(given.includes('Lovelace')).toBe(true);
    const bare = await withoutMetadata(given, format);
    if (!bare) throw new Error('It cannot be had.');
    const { exif, xmp, icc, format: kept } = await sharp(bare).metadata();
    expect([exif, xmp, icc, kept]).toEqual([undefined, undefined, undefined, format]);
    expect(Buffer.from(bare).includes('Lovelace')).toBe(false);
    expect((await pixelsOf(bare)).equals(await pixelsOf(given))).toBe(true);
  });

  it('has no data after its end', async () => {
    const given = await photograph('png');
    const bare = await withoutMetadata(Buffer.concat([given, Buffer.from('Lovelace was here')]), 'png');
    expect(Buffer.from(bare ?? []).includes('Lovelace')).toBe(false);
  });

  it('is not available for a rotated picture, one with a colour profile, or a WebP with metadata', async () => {
    const plain = sharp(await photograph('jpeg'));
    const turned = await plain.clone().withMetadata({ orientation: 6 }).toBuffer();
    expect(await withoutMetadata(turned, 'jpeg')).toBeNull();
    const coloured = await plain.clone().withIccProfile('p3').toBuffer();
    expect(await withoutMetadata(coloured, 'jpeg')).toBeNull();
    expect(await withoutMetadata(await photograph('webp'), 'webp')).toBeNull();
    const webp = await plain.clone().webp().toBuffer();
    expect(await withoutMetadata(webp, 'webp')).toEqual(webp);
  });
});
