import { pngChunk } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPicture, readPixels } from '../../src/pictures/read-picture.ts';
import { frame, header, jpeg, jpegOf, png, pngOf, scan, svg, vp8, vp8x, webpOf } from './build.ts';

const sides = { width: 300, height: 200 };
const idat = pngChunk('IDAT', Uint8Array.of(1));
const iend = pngChunk('IEND');

describe('readPixels', () => {
  it('reads PNG, JPEG and WebP', () => {
    expect(readPixels(png(300, 200))).toEqual({ format: 'png', sides });
    expect(readPixels(jpeg(300, 200))).toEqual({ format: 'jpeg', sides });
    expect(readPixels(webpOf(vp8(300, 200)))).toEqual({ format: 'webp', sides });
  });

  it.each([
    ['a GIF', Buffer.from('GIF89a'), 'is a GIF'],
    ['an SVG', Buffer.from(svg('')), 'is an SVG'],
    ['half a PNG', png(30).subarray(0, 50), 'begins like a PNG, but it is cut off'],
    ['half a JPEG', jpeg(30).subarray(0, 50), 'begins like a JPEG, but it is cut off'],
    ['half a WebP', webpOf(vp8(30, 30)).subarray(0, 20), 'begins like a WebP, but it is cut off'],
  ])('says why it does not read %s', (_, bytes, why) => {
    const picture = readPixels(bytes);
    expect(picture.format === 'other' && picture.why).toContain(why);
  });

  it.each([
    ['PNG', (width: number, height: number) => pngOf(pngChunk('IHDR', header(width, height)), idat, iend)],
    ['JPEG', (width: number, height: number) => jpegOf(frame(width, height), scan(Uint8Array.of(1)))],
  ])('refuses a %s with a side of 0 pixels, and one too large to draw', (name, picture) => {
    for (const [width, height] of [
      [0, 9],
      [9, 0],
      [16_385, 9],
      [9, 16_385],
      [8_193, 8_192],
      [65_535, 65_535],
    ] as const) {
      const why = `begins like a ${name}, but it declares ${width} by ${height} pixels`;
      expect(readPixels(picture(width, height))).toEqual({
        format: 'other',
        why: expect.stringContaining(why),
      });
    }
    expect(readPixels(picture(16_384, 4_096))).toHaveProperty('sides');
  });

  it('refuses a WebP with a side of 0 pixels, and one too large to draw', () => {
    const why = expect.stringContaining('it declares');
    expect(readPixels(webpOf(vp8(0, 9)))).toEqual({ format: 'other', why });
    expect(readPixels(webpOf(vp8(8_193, 8_192)))).toEqual({ format: 'other', why });
    expect(readPixels(webpOf(vp8x(16_777_216, 1), vp8(1, 1)))).toHaveProperty('why');
  });

  it('refuses a PNG wider than the format allows', () =>
    expect(readPixels(pngOf(pngChunk('IHDR', header(0x8000_0000, 9)), idat, iend))).toHaveProperty('why'));
});

describe('readPicture', () => {
  it('reads an SVG too', () => {
    expect(readPicture(Buffer.from(svg('')))).toMatchObject({ format: 'svg' });
    expect(readPicture(Buffer.from('<svg/>'))).toMatchObject({ format: 'other' });
    expect(readPicture(Buffer.from(svg('é'), 'latin1'))).toEqual({
      format: 'other',
      why: 'is not text in UTF-8',
    });
    expect(readPicture(jpeg(300, 200))).toEqual({ format: 'jpeg', sides });
  });

  it('never throws for any bytes', () => {
    const starts = [png(9), jpeg(9), webpOf(vp8(9, 9)), Buffer.from(svg(''))];
    const start = fc
      .tuple(fc.constantFrom(...starts), fc.nat(60))
      .map(([bytes, length]) => bytes.subarray(0, length));
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 60 }), (head, tail) => {
        readPicture(Buffer.concat([head, tail]));
      }),
    );
  });
});
