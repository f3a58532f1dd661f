import sharp from 'sharp';
import { expect, it } from 'vitest';
import { contactSheet, MAX_BYTES, readPicture } from '../../server/board/picture.ts';
import { picture } from '../support/pictures.ts';

it.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
  'converts %s to WebP, and removes all metadata',
  async (format) => {
    const { bytes, width, height } = await readPicture(await picture({ width: 2000, height: 500 }, format));
    expect({ width, height }).toEqual({ width: 1600, height: 400 });
    const kept = await sharp(bytes).metadata();
    expect(kept).toMatchObject({ format: 'webp', width: 1600 });
    expect(kept.exif).toBeUndefined();
    expect(Buffer.from(bytes).toString('latin1')).not.toContain('Ada Love');
  },
);

it('does not enlarge small pictures', async () => {
  expect(await readPicture(await picture())).toMatchObject({ width: 400, height: 300 });
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';

it.each([
  { what: 'SVG', bytes: async () => Buffer.from(SVG), status: 415 },
  {
    what: 'SVG after the signature of a PNG',
    bytes: async () => Buffer.from(`\x89PNG\r\n\x1a\n${SVG}`, 'latin1'),
    status: 415,
  },
  {
    what: 'an HTML page',
    bytes: async () => Buffer.from('<!doctype html><script>alert(1)</script>'),
    status: 415,
  },
  { what: 'a PDF', bytes: async () => Buffer.from('%PDF-1.7'), status: 415 },
  { what: 'an empty file', bytes: async () => Buffer.alloc(0), status: 415 },
  {
    what: 'a truncated picture',
    bytes: async () => (await picture({}, 'png')).subarray(0, 200),
    status: 415,
  },
  { what: 'too many bytes', bytes: async () => Buffer.alloc(MAX_BYTES + 1, 0xff), status: 413 },
  // 64 megapixels in a few kilobytes.
  { what: 'too many pixels', bytes: () => picture({ width: 8000, height: 8000 }, 'png'), status: 415 },
])('rejects $what', async ({ bytes, status }) => {
  await expect(readPicture(await bytes())).rejects.toMatchObject({ name: 'BoardError', status });
});

it('makes a contact sheet with no more columns than pictures', async () => {
  const red = (await readPicture(await picture({ colour: '#ff0000' }))).bytes;
  const blue = (await readPicture(await picture({ colour: '#0000ff' }))).bytes;
  const sheet = await contactSheet([red, blue, red], 2);
  expect(await sharp(sheet).metadata()).toMatchObject({ format: 'png', width: 688, height: 688 });
  const { data, info } = await sharp(sheet).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels).subarray(0, 3),
  ];
  expect(at(176, 176)[0]).toBeGreaterThan(240);
  expect(at(512, 176)[2]).toBeGreaterThan(240);
  expect(at(512, 512)).toEqual([255, 255, 255]);
  expect(await sharp(await contactSheet([red], 4)).metadata()).toMatchObject({ width: 352, height: 352 });
});
