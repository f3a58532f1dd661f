import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWebp } from '../../src/pictures/webp.ts';
import { cpuMs } from '../support.ts';
import { ANIM, anmf, riffChunk, vp8, vp8l, vp8x, WEBPS, webpOf } from './build.ts';

const ANIMATED = 2;
const sides = { sides: { width: 7, height: 9 } };
const exif = riffChunk('EXIF', Uint8Array.of(1, 2, 3));
const reals = Object.entries(WEBPS).map(([name, base64]) => ({ name, bytes: Buffer.from(base64, 'base64') }));

/** A WebP with another length in its header. */
function resized(bytes: Buffer, change: number): Buffer {
  const lying = Buffer.from(bytes);
  lying.writeUInt32LE(lying.readUInt32LE(4) + change, 4);
  return lying;
}

/** A chunk with some bytes of its data replaced. */
function altered(chunk: Buffer, at: number, ...bytes: number[]): Buffer {
  const other = Buffer.from(chunk);
  other.set(bytes, 8 + at);
  return other;
}

describe.each(reals)('a real $name WebP', ({ bytes }) => {
  it('is read with its sides', () => expect(readWebp(bytes)).toEqual({ sides: { width: 24, height: 16 } }));

  it('is refused when cut off anywhere', () => {
    for (let length = 12; length < bytes.length; length += 1) {
      expect(readWebp(bytes.subarray(0, length))).toHaveProperty('fault');
    }
  });

  it('never makes the reader throw after bytes are changed', () => {
    const change = fc.tuple(fc.integer({ min: 12, max: bytes.length - 1 }), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed.writeUInt8(value, at);
        readWebp(changed);
      }),
    );
  });
});

// An animation that is cut between two frames, with a matching length, is a valid one of fewer frames.
it.each(reals.filter(({ name }) => name !== 'animated'))(
  'a real $name WebP is refused when cut off anywhere, even with a matching length',
  ({ bytes }) => {
    for (let length = 12; length < bytes.length; length += 1) {
      expect(readWebp(resized(bytes.subarray(0, length), length - bytes.length))).toHaveProperty('fault');
    }
  },
);

describe('readWebp', () => {
  it.each([
    ['a lossy picture', webpOf(vp8(7, 9))],
    ['a lossy picture with scaling bits', webpOf(vp8(7 | 0x4000, 9 | 0x8000))],
    ['a lossless picture', webpOf(vp8l(7, 9))],
    ['an extended picture', webpOf(vp8x(7, 9), riffChunk('ICCP'), riffChunk('ALPH'), vp8(7, 9), exif)],
    ['unknown chunks', webpOf(vp8x(7, 9), vp8l(7, 9), riffChunk('\0abc'))],
    [
      'an animation',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 7, 9], vp8(7, 9)), anmf([2, 4, 5, 5], vp8l(5, 5)), exif),
    ],
  ])('accepts %s', (_, bytes) => expect(readWebp(bytes)).toEqual(sides));

  it('reads from the middle of a buffer', () => {
    const whole = Buffer.concat([Buffer.alloc(3), webpOf(vp8(7, 9)), Buffer.alloc(3)]);
    expect(readWebp(whole.subarray(3, whole.length - 3))).toEqual(sides);
  });

  it.each([
    ['a length beyond the file', resized(webpOf(vp8(7, 9)), 2), 'cut off'],
    ['a huge length', resized(webpOf(vp8(7, 9)), 0xffff_0000), 'cut off'],
    ['a length short of the file', resized(webpOf(vp8(7, 9), exif), -2), 'data after its end'],
    ['bytes after the end', Buffer.concat([webpOf(vp8(7, 9)), Buffer.from('PK')]), 'data after its end'],
    ['no chunk', webpOf(), 'no picture data'],
    ['a wrong first chunk', webpOf(exif, vp8(7, 9)), 'first chunk'],
    [
      'a chunk that extends beyond the end',
      webpOf(Buffer.from('VP8 \x20\0\0\0', 'latin1')),
      'extends beyond',
    ],
    [
      'a chunk after the picture that extends beyond the end',
      webpOf(vp8(7, 9), Buffer.from('EXIF\x20\0\0\0', 'latin1')),
      'extends beyond',
    ],
    ['half a chunk header', webpOf(vp8(7, 9), Buffer.from('EXIF')), 'extends beyond'],
    ['no start code', webpOf(altered(vp8(7, 9), 3, 0x9d, 1, 0x2b)), 'invalid header'],
    ['a frame that is not a key frame', webpOf(vp8(7, 9, 0x11)), 'invalid header'],
    ['a frame that is not shown', webpOf(vp8(7, 9, 0x00)), 'invalid header'],
    ['a lossy version of 4', webpOf(vp8(7, 9, 0x18)), 'invalid header'],
    ['a partition beyond the chunk', webpOf(vp8(7, 9, 0x10, 4)), 'invalid header'],
    [
      'a lossy picture without a header',
      webpOf(riffChunk('VP8 ', Uint8Array.of(0x10, 0, 0, 0x9d, 1, 0x2a))),
      'invalid header',
    ],
    ['no lossless signature', webpOf(altered(vp8l(7, 9), 0, 0x2e)), 'invalid header'],
    ['a lossless version of 1', webpOf(vp8l(7, 9, 1)), 'invalid header'],
    ['a lossless picture without a header', webpOf(riffChunk('VP8L', Uint8Array.of(0x2f))), 'invalid header'],
    ['two images', webpOf(vp8(7, 9), vp8l(7, 9)), 'two images'],
    ['two images in an extended picture', webpOf(vp8x(7, 9), vp8(7, 9), vp8(7, 9)), 'two images'],
    ['a header without a picture', webpOf(vp8x(7, 9), exif), 'no picture data'],
    ['a header of another length', webpOf(riffChunk('VP8X', new Uint8Array(12)), vp8(1, 1)), 'length'],
    [
      'a canvas larger than its picture',
      webpOf(vp8x(8, 9), vp8(7, 9)),
      'declares 8 by 9 pixels, and its image has 7 by 9',
    ],
    ['a canvas smaller than its picture', webpOf(vp8x(1, 1), vp8l(7, 9)), 'declares 1 by 1 pixels'],
    [
      'frames in a still picture',
      webpOf(vp8x(7, 9), vp8(7, 9), anmf([0, 0, 7, 9], vp8(7, 9))),
      'declares no animation',
    ],
    ['an animation without frames', webpOf(vp8x(7, 9, ANIMATED), ANIM), 'without frames'],
    [
      'an animation without its settings',
      webpOf(vp8x(7, 9, ANIMATED), anmf([0, 0, 7, 9], vp8(7, 9))),
      'without',
    ],
    ['an image outside the frames', webpOf(vp8x(7, 9, ANIMATED), ANIM, vp8(7, 9)), 'outside its frames'],
    [
      'a frame too wide',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 8, 9], vp8(8, 9))),
      'outside the image',
    ],
    [
      'a frame too far down',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 2, 7, 8], vp8(7, 8))),
      'outside the image',
    ],
    [
      'a frame at a huge offset',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0x1ff_fffe, 0, 1, 1], vp8(1, 1))),
      'outside the image',
    ],
    [
      'a frame whose image has other sides',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 7, 9], vp8(6, 9))),
      'its image has 6 by 9',
    ],
    ['a frame without an image', webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 7, 9])), 'no picture data'],
    [
      'a frame without a header',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, riffChunk('ANMF', new Uint8Array(15))),
      'no header',
    ],
    [
      'frames within frames',
      webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 7, 9], anmf([0, 0, 7, 9], vp8(7, 9)))),
      'is invalid',
    ],
  ])('refuses %s', (_, bytes, why) =>
    expect(readWebp(bytes)).toEqual({ fault: expect.stringContaining(why) }),
  );

  it('never throws for any bytes after the signature', () => {
    const heads = [vp8x(7, 9), vp8x(7, 9, ANIMATED), vp8(7, 9), new Uint8Array()];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 60 }), (head, tail) => {
        readWebp(webpOf(head, tail));
      }),
    );
  });

  it('reads megabytes of chunks in bounded time', () => {
    const start = cpuMs();
    const many = Buffer.from('abcd\0\0\0\0'.repeat(375_000));
    readWebp(webpOf(vp8(7, 9), many));
    readWebp(webpOf(vp8x(7, 9, ANIMATED), ANIM, anmf([0, 0, 7, 9], many)));
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});
