import { pngChunk } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPng } from '../../src/pictures/png.ts';
import { header, png, pngOf } from './build.ts';

const ihdr = pngChunk('IHDR', header(7, 9));
const idat = pngChunk('IDAT', Uint8Array.of(1));
const iend = pngChunk('IEND');
const palette = pngChunk('PLTE', Uint8Array.of(0, 0, 0));
const withHeader = (...rest: number[]) => pngOf(pngChunk('IHDR', header(7, 9, rest)), idat, iend);

describe('readPng', () => {
  it('reads the sides', () => {
    expect(readPng(png(3, 5))).toEqual({ width: 3, height: 5 });
    expect(readPng(pngOf(ihdr, palette, pngChunk('tEXt'), idat, idat, iend))).toEqual({
      width: 7,
      height: 9,
    });
  });

  it('reads from the middle of a buffer', () => {
    const whole = Buffer.concat([Buffer.alloc(3), png(3, 5), Buffer.alloc(3)]);
    expect(readPng(whole.subarray(3, whole.length - 3))).toEqual({ width: 3, height: 5 });
  });

  it('leaves alone what stands behind the end', () =>
    expect(readPng(pngOf(ihdr, idat, iend, Buffer.from('more')))).toBeDefined());

  it.each([
    ['nothing', pngOf()],
    ['no header', pngOf(idat, iend)],
    ['a header that is not first', pngOf(pngChunk('tEXt'), ihdr, idat, iend)],
    ['two headers', pngOf(ihdr, ihdr, idat, iend)],
    ['a short header', pngOf(pngChunk('IHDR', header(7, 9, [1, 0, 0, 0])), idat, iend)],
    ['a long header', pngOf(pngChunk('IHDR', header(7, 9, [1, 0, 0, 0, 0, 0])), idat, iend)],
    ['no width', pngOf(pngChunk('IHDR', header(0, 9)), idat, iend)],
    ['no height', pngOf(pngChunk('IHDR', header(7, 0)), idat, iend)],
    ['a side beyond the format', pngOf(pngChunk('IHDR', header(0x8000_0000, 9)), idat, iend)],
    ['a bit depth of 3', withHeader(3, 0, 0, 0, 0)],
    ['a colour type of 1', withHeader(8, 1, 0, 0, 0)],
    ['true colour of one bit', withHeader(1, 2, 0, 0, 0)],
    ['another compression', withHeader(8, 2, 1, 0, 0)],
    ['another filter', withHeader(8, 2, 0, 1, 0)],
    ['another interlace', withHeader(8, 2, 0, 0, 2)],
    ['indexed colour without a palette', withHeader(8, 3, 0, 0, 0)],
    ['no picture data', pngOf(ihdr, iend)],
    ['empty picture data', pngOf(ihdr, pngChunk('IDAT'), iend)],
    ['no end', pngOf(ihdr, idat)],
    ['an end with something in it', pngOf(ihdr, idat, pngChunk('IEND', Uint8Array.of(1)))],
    ['a chunk of no name', pngOf(ihdr, pngChunk('a b\n'), idat, iend)],
    ['a chunk beyond the file', pngOf(ihdr, Buffer.from('ffffffff49444154', 'hex'), iend)],
  ])('refuses %s', (_, bytes) => expect(readPng(bytes)).toBeUndefined());

  it('takes indexed colour with its palette', () =>
    expect(
      readPng(pngOf(pngChunk('IHDR', header(7, 9, [8, 3, 0, 0, 1])), palette, idat, iend)),
    ).toBeDefined());

  it('refuses a PNG cut off anywhere', () => {
    const whole = png(16);
    for (let length = 8; length < whole.length; length += 1) {
      expect(readPng(whole.subarray(0, length))).toBeUndefined();
    }
  });

  it('refuses a PNG with any byte changed', () => {
    const whole = png(300, 200);
    const change = fc.tuple(fc.integer({ min: 8, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(change, ([at, bits]) => {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ bits, at);
        expect(readPng(changed)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever follows the signature', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (tail) => void readPng(pngOf(tail))));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => void readPng(pngOf(ihdr, tail))));
  });
});
