import { pngChunk, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPng } from '../../src/pictures/png.ts';
import { header, png, pngOf } from './build.ts';

const ihdr = pngChunk('IHDR', header(7, 9));
const idat = pngChunk('IDAT', Uint8Array.of(1));
const iend = pngChunk('IEND');
const palette = pngChunk('PLTE', Uint8Array.of(0, 0, 0));
const sides = { sides: { width: 7, height: 9 } };
const withHeader = (...rest: number[]) => pngOf(pngChunk('IHDR', header(7, 9, rest)), idat, iend);

describe('readPng', () => {
  it('reads the sides', () => {
    expect(readPng(png(3, 5))).toEqual({ sides: { width: 3, height: 5 } });
    expect(readPng(pngOf(ihdr, palette, pngChunk('tEXt'), idat, idat, iend))).toEqual(sides);
  });

  it('reads from the middle of a buffer', () => {
    const whole = Buffer.concat([Buffer.alloc(3), png(3, 5), Buffer.alloc(3)]);
    expect(readPng(whole.subarray(3, whole.length - 3))).toEqual({ sides: { width: 3, height: 5 } });
  });

  it('ignores data after the end', () =>
    expect(readPng(pngOf(ihdr, idat, iend, Buffer.from('more')))).toEqual(sides));

  it('refuses a cropped picture with a rest of the original after its end', () => {
    const whole = png(300);
    const cropped = png(20);
    const left = Buffer.concat([cropped, whole.subarray(cropped.length)]);
    expect(readPng(left)).toEqual({ fault: expect.stringContaining('crop') });
  });

  it.each([
    ['only a signature', pngOf(), 'cut off'],
    ['no header', pngOf(idat, iend), '"IDAT" instead of its header'],
    ['a header that is not first', pngOf(pngChunk('tEXt'), ihdr, idat, iend), '"tEXt" instead'],
    ['two headers', pngOf(ihdr, ihdr, idat, iend), 'two headers'],
    [
      'a short header',
      pngOf(pngChunk('IHDR', header(7, 9, [1, 0, 0, 0])), idat, iend),
      'its header is invalid',
    ],
    [
      'a long header',
      pngOf(pngChunk('IHDR', header(7, 9, [1, 0, 0, 0, 0, 0])), idat, iend),
      'its header is invalid',
    ],
    ['a bit depth of 3', withHeader(3, 0, 0, 0, 0), 'its header is invalid'],
    ['a colour type of 1', withHeader(8, 1, 0, 0, 0), 'its header is invalid'],
    ['true colour of one bit', withHeader(1, 2, 0, 0, 0), 'its header is invalid'],
    ['another compression', withHeader(8, 2, 1, 0, 0), 'its header is invalid'],
    ['another filter', withHeader(8, 2, 0, 1, 0), 'its header is invalid'],
    ['another interlace', withHeader(8, 2, 0, 0, 2), 'its header is invalid'],
    ['indexed colour without a palette', withHeader(8, 3, 0, 0, 0), 'palette'],
    [
      'a palette after the picture data',
      pngOf(pngChunk('IHDR', header(7, 9, [8, 3, 0, 0, 0])), idat, palette, iend),
      'palette',
    ],
    ['no picture data', pngOf(ihdr, iend), 'no picture data'],
    ['empty picture data', pngOf(ihdr, pngChunk('IDAT'), iend), 'no picture data'],
    ['no end', pngOf(ihdr, idat), 'cut off'],
    ['an end chunk that is not empty', pngOf(ihdr, idat, pngChunk('IEND', Uint8Array.of(1))), 'not empty'],
    ['a chunk with an invalid name', pngOf(ihdr, pngChunk('a b\n'), idat, iend), 'where one is required'],
    [
      'a chunk that ends beyond the file',
      pngOf(ihdr, Buffer.from('ffffffff49444154', 'hex'), iend),
      '"IDAT" declares a wrong length',
    ],
  ])('refuses %s', (_, bytes, why) =>
    expect(readPng(bytes)).toEqual({ fault: expect.stringContaining(why) }),
  );

  it('accepts indexed colour with its palette', () =>
    expect(readPng(pngOf(pngChunk('IHDR', header(7, 9, [8, 3, 0, 0, 1])), palette, idat, iend))).toEqual(
      sides,
    ));

  it('refuses a PNG cut off anywhere', () => {
    const whole = png(16);
    for (let length = 8; length < whole.length; length += 1) {
      expect(readPng(whole.subarray(0, length))).toHaveProperty('fault');
    }
  });

  it('refuses a PNG with any byte changed', () => {
    const whole = png(300, 200);
    const change = fc.tuple(fc.integer({ min: 8, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(change, ([at, bits]) => {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ bits, at);
        expect(readPng(changed)).toHaveProperty('fault');
      }),
      { numRuns: runs(500) },
    );
  });

  it('never throws for any bytes after the signature', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (tail) => void readPng(pngOf(tail))));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => void readPng(pngOf(ihdr, tail))));
  });
});
