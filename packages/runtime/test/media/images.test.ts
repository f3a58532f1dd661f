import type { MediaRequest } from '@svc/contracts';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { typeOfFile } from '../../src/files/file-type.ts';
import { drawPicture, prepareImage as run, withoutMetadata } from '../../src/media/images.ts';
import { MediaError } from '../../src/media/media-task.ts';
import { heic } from '../support/heic.ts';
import { bmp, NOISE, noise, photograph } from '../support/pictures.ts';

// The decoders of a process are closed for all of it: other tests of this worker need them.
afterAll(() => sharp.unblock({ operation: ['VipsForeignLoad'] }));

const sizeOf = async (bytes: Uint8Array) => {
  const { width, height } = await sharp(bytes).metadata();
  return [width, height];
};

/** The colour of a pixel: white, or the stronger one of red and blue. */
async function colourAt(bytes: Uint8Array, left: number, top: number): Promise<string> {
  const [red = 0, , blue = 0] = await sharp(bytes)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return red > 200 && blue > 200 ? 'white' : red > blue ? 'red' : 'blue';
}

describe('a picture', () => {
  it.each<[string, MediaRequest, [number, number]]>([
    ['to a width', { op: 'resize', width: 100 }, [100, 50]],
    ['to a height', { op: 'resize', height: 100 }, [200, 100]],
    ['to both, cropped', { op: 'resize', width: 100, height: 100 }, [100, 100]],
    ['to both, within margins', { op: 'resize', width: 100, height: 100, fit: 'contain' }, [100, 100]],
    ['to both, distorted', { op: 'resize', width: 90, height: 100, fit: 'fill' }, [90, 100]],
  ])('is resized %s', async (_how, request, size) => {
    const { bytes, type } = await run(await photograph(), 'image/jpeg', request);
    expect([type, await sizeOf(bytes)]).toEqual(['image/jpeg', size]);
    if (request.fit === 'contain') expect(await colourAt(bytes, 50, 2)).toBe('white');
  });

  it.each<[MediaRequest, [number, number], string]>([
    [{ op: 'crop', width: 100, height: 50 }, [100, 50], 'red'],
    [{ op: 'crop', width: 100, height: 50, x: 250, y: 10 }, [100, 50], 'blue'],
    [{ op: 'crop', width: 100, height: 50, gravity: 'east' }, [100, 50], 'blue'],
    [{ op: 'crop', width: 100, height: 50, gravity: 'west' }, [100, 50], 'red'],
    [{ op: 'crop', aspect: '1:1' }, [200, 200], 'red'],
    [{ op: 'crop', aspect: '1:1', gravity: 'east' }, [200, 200], 'blue'],
    [{ op: 'crop', width: 9_000, height: 150 }, [400, 150], 'red'],
  ])('is cropped by %j', async (request, size, colour) => {
    const { bytes } = await run(await photograph(), 'image/jpeg', request);
    expect(await sizeOf(bytes)).toEqual(size);
    expect(await colourAt(bytes, 2, 10)).toBe(colour);
  });

  it('cannot be cropped outside of its bounds', async () => {
    const outside: MediaRequest = { op: 'crop', width: 10, height: 10, x: 400 };
    await expect(run(await photograph(), 'image/jpeg', outside)).rejects.toThrow(MediaError);
  });

  it.each(['png', 'jpeg', 'webp', 'avif', 'gif'] as const)(
    'is converted to %s, by its type and by its content',
    async (format) => {
      const { bytes, type } = await run(await photograph(), 'image/jpeg', { op: 'convert', format });
      expect([type, await typeOfFile(bytes, '')]).toEqual([`image/${format}`, `image/${format}`]);
    },
  );

  it('loses its metadata when it is compressed or converted', async () => {
    const given = await photograph();
    expect((await sharp(given).metadata()).exif).toBeDefined();
    for (const request of [
      { op: 'compress', quality: 90 },
      { op: 'convert', format: 'webp' },
    ] as const) {
      const { bytes } = await run(given, 'image/jpeg', request);
      const { exif, xmp, iptc, icc } = await sharp(bytes).metadata();
      expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
      expect(Buffer.from(bytes).includes('Lovelace')).toBe(false);
    }
  });

  it('is rotated by its EXIF orientation', async () => {
    const turned = await sharp(await photograph())
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(await sizeOf((await run(turned, 'image/jpeg', { op: 'compress', quality: 80 })).bytes)).toEqual([
      200, 400,
    ]);
  });

  it('is compressed to a quality, and to a size', async () => {
    const given = await noise();
    const low = await run(given, 'image/png', { op: 'compress', quality: 20 });
    expect(low.bytes.byteLength).toBeLessThan(given.byteLength / 2);
    const small = await run(given, 'image/png', { op: 'compress', targetKb: 10 });
    expect(small.bytes.byteLength).toBeLessThanOrEqual(10 * 1024);
    expect(small.type).toBe('image/png');
  });

  it.each<[MediaRequest, [number, number]]>([
    [{ op: 'resize', width: 1_600 }, [400, 200]],
    [{ op: 'resize', height: 1_600 }, [400, 200]],
    [{ op: 'resize', width: 1_600, height: 1_600 }, [400, 200]],
    [{ op: 'resize', width: 800, height: 400, fit: 'fill' }, [800, 400]],
    [{ op: 'resize', width: 800, height: 800, fit: 'contain' }, [800, 800]],
    [{ op: 'resize', width: 800, height: 800, fit: 'cover' }, [800, 800]],
  ])('is enlarged by %j only when the request has a fit', async (request, size) => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const { bytes } = await run(await photograph(format), `image/${format}`, request);
      expect(await sizeOf(bytes)).toEqual(size);
    }
  });

  it.each(['webp', 'gif'] as const)(
    'stays a %s of all frames when it is compressed to a size',
    async (format) => {
      const frames = Buffer.concat(
        Array.from({ length: 6 }, (_, frame) => Buffer.from(NOISE).map((value) => value ^ (frame * 37))),
      );
      const raw = { width: 120, height: 720, channels: 3, pageHeight: 120 } as const;
      const given = await sharp(frames, { raw }).toFormat(format).toBuffer();
      expect(given.byteLength).toBeGreaterThan(20_000);
      const { bytes } = await run(given, `image/${format}`, { op: 'compress', targetKb: 10 });
      expect(bytes.byteLength).toBeLessThanOrEqual(10 * 1024);
      expect((await sharp(bytes, { animated: true }).metadata()).pages).toBe(6);
    },
  );

  it('is refused where it cannot be made that small, with the smallest possible size', async () => {
    const frames = Buffer.alloc(3 * 2_000);
    for (let frame = 0; frame < 2_000; frame += 1) frames.fill(frame % 251, frame * 3, frame * 3 + 3);
    const raw = { width: 1, height: 2_000, channels: 3, pageHeight: 1 } as const;
    const given = await sharp(frames, { raw }).gif().toBuffer();
    await expect(run(given, 'image/gif', { op: 'compress', targetKb: 10 })).rejects.toThrow(
      /cannot be made that small: the smallest possible size is \d{2} KB\.$/,
    );
  });

  it.each([
    ['a photo of an iPhone', 'image/heic', () => heic({ columns: 2, quarters: 1 }), [64, 128], 'blue'],
    [
      'a TIFF',
      'image/tiff',
      async () =>
        sharp(await photograph())
          .tiff()
          .toBuffer(),
      [400, 200],
      'red',
    ],
    ['a BMP', 'image/bmp', () => bmp(400, 200), [400, 200], 'red'],
  ] as const)('is read from %s', async (_, type, make, size, colour) => {
    const given = await make();
    const png = await run(given, type, { op: 'convert', format: 'png' });
    expect(await sizeOf(png.bytes)).toEqual(size);
    expect(await colourAt(png.bytes, 5, 5)).toBe(colour);
    const small = await run(given, type, { op: 'resize', width: 32 });
    expect(small.type).toBe(type === 'image/bmp' ? 'image/png' : 'image/jpeg');
    expect(small.bytes.byteLength).toBeLessThanOrEqual(given.byteLength);
  });

  it('is not read from a TIFF of several pages, of which only the first would be sent', async () => {
    const raw = { width: 10, height: 20, channels: 3, pageHeight: 10 } as const;
    const pages = await sharp(Buffer.alloc(600), { raw }).tiff().toBuffer();
    expect((await sharp(pages).metadata()).pages).toBe(2);
    await expect(run(pages, 'image/tiff', { op: 'convert', format: 'png' })).rejects.toThrow('several pages');
  });

  it.each([
    ['image/bmp', () => bmp(400, 200, { claimed: 60_000 })],
    ['image/heic', () => heic().subarray(0, 300)],
    ['image/heic', () => Buffer.from('00000018667479706865696300000000', 'hex')],
    ['image/bmp', () => Buffer.from('BM')],
  ] as const)('is refused when it is a damaged %s', async (type, make) => {
    await expect(run(make(), type, { op: 'resize', width: 5 })).rejects.toThrow();
  });

  it('stays animated when it is a GIF', async () => {
    const frames = Buffer.concat([Buffer.alloc(300, 255), Buffer.alloc(300, 0)]);
    const gif = await sharp(frames, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } })
      .gif()
      .toBuffer();
    const { bytes } = await run(gif, 'image/gif', { op: 'resize', width: 5 });
    expect((await sharp(bytes, { animated: true }).metadata()).pages).toBe(2);
  });

  it('cannot be trimmed, or converted to a recording', async () => {
    const given = await photograph();
    for (const request of [
      { op: 'trim', end: 1 },
      { op: 'convert', format: 'mp3' },
    ] as const) {
      await expect(run(given, 'image/jpeg', request)).rejects.toThrow(MediaError);
    }
  });
});

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

describe('a picture of an app', () => {
  const sidesOf = async (bytes: Uint8Array) => sizeOf(await drawPicture(bytes, 64));

  it('is drawn in the size asked for, although it declares a very large one', async () => {
    for (const side of [24, 51_500, 333_334]) {
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"><rect width="9" height="9"/></svg>`;
      expect(await sidesOf(Buffer.from(drawing))).toEqual([64, 64]);
    }
  });

  it('is turned as its EXIF data say', async () => {
    const photo = sharp({ create: { width: 80, height: 40, channels: 3, background: 'red' } });
    expect(await sidesOf(await photo.withMetadata({ orientation: 6 }).jpeg().toBuffer())).toEqual([32, 64]);
  });
});
