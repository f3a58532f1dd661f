import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJpeg } from '../../src/pictures/jpeg.ts';
import { cpuMs } from '../support.ts';
import { frame, jpeg, jpegOf, scan, segment } from './build.ts';

const data = Uint8Array.of(1, 2, 3);
const sof = frame(7, 9);
const exif = segment(0xe1, Buffer.from('Exif\0\0'));
const sides = { sides: { width: 7, height: 9 } };
/** A JPEG of another size, like the preview or gain map that a camera adds. */
const other = jpeg(2, 2);

describe('readJpeg', () => {
  it('reads the sides', () => {
    expect(readJpeg(jpeg(300, 17))).toEqual({ sides: { width: 300, height: 17 } });
    expect(readJpeg(jpegOf(exif, sof, scan(data)))).toEqual(sides);
  });

  it('reads from the middle of a buffer', () => {
    const whole = Buffer.concat([Buffer.alloc(3), jpeg(3, 5), Buffer.alloc(3)]);
    expect(readJpeg(whole.subarray(3, whole.length - 3))).toEqual({ sides: { width: 3, height: 5 } });
  });

  it.each([
    [
      'several scans, as in a progressive JPEG',
      jpegOf(frame(7, 9, 0xc2), scan(data), segment(0xc4), scan(data)),
    ],
    ['three and four colour components', jpegOf(frame(7, 9, 0xc0, 4), scan(data))],
    ['12 bits allowed and 8 used', jpegOf(frame(7, 9, 0xc1), scan(data))],
    ['fill bytes before a marker', jpegOf(Uint8Array.of(0xff, 0xff), sof, Uint8Array.of(0xff), scan(data))],
    [
      'restart intervals',
      jpegOf(
        segment(0xdd, Uint8Array.of(0, 1)),
        sof,
        scan(Uint8Array.of(1, 0xff, 0xd0, 2, 0xff, 0xff, 0xd7, 3)),
      ),
    ],
    ['stuffed zeros', jpegOf(sof, scan(Uint8Array.of(0xff, 0, 0xff, 0, 1, 0xff, 0)))],
    ['a preview within a segment', jpegOf(segment(0xe1, other), sof, scan(data))],
    ['another JPEG after the end', Buffer.concat([jpegOf(sof, scan(data)), other])],
    ['a video after the end', Buffer.concat([jpegOf(sof, scan(data)), Buffer.from('\0\0\0\x18ftypmp42')])],
  ])('accepts %s', (_, bytes) => expect(readJpeg(bytes)).toEqual(sides));

  it.each([
    ['only a start and an end', jpegOf(), 'no frame header'],
    ['no frame header', jpegOf(exif), 'no frame header'],
    ['no scan', jpegOf(exif, sof), 'no picture data'],
    ['a scan before the frame header', jpegOf(scan(data), sof), 'precedes its frame header'],
    ['an empty scan', jpegOf(sof, scan(new Uint8Array())), 'scans is empty'],
    ['two frame headers that agree', jpegOf(sof, sof, scan(data)), 'two frame headers'],
    ['two frame headers that differ', jpegOf(sof, frame(9, 7), scan(data)), 'two frame headers'],
    ['another frame header after the scan', jpegOf(sof, scan(data), frame(9, 7)), 'two frame headers'],
    ['two JPEGs in one', jpegOf(Uint8Array.of(0xff, 0xd8), sof, scan(data)), '0xffd8'],
    ['a lossless picture', jpegOf(frame(7, 9, 0xc3), scan(data)), 'is lossless'],
    ['a hierarchical picture', jpegOf(frame(7, 9, 0xc5), scan(data)), 'is hierarchical'],
    ['a picture of several layers', jpegOf(segment(0xde, new Uint8Array(6)), sof, scan(data)), '0xffde'],
    ['arithmetic coding', jpegOf(frame(7, 9, 0xc9), scan(data)), 'is coded arithmetically'],
    ['progressive arithmetic coding', jpegOf(frame(7, 9, 0xca), scan(data)), 'is coded arithmetically'],
    ['a reserved frame', jpegOf(frame(7, 9, 0xc8), scan(data)), '0xffc8'],
    ['a reserved marker', jpegOf(segment(0x02), sof, scan(data)), '0xff02'],
    ['a restart outside of a scan', jpegOf(Uint8Array.of(0xff, 0xd0), sof, scan(data)), '0xffd0'],
    ['12 bits', jpegOf(frame(7, 9, 0xc1, 1, 12), scan(data)), '12 bits'],
    ['two colour components', jpegOf(frame(7, 9, 0xc0, 2), scan(data)), '2 colour'],
    ['no colour components', jpegOf(frame(7, 9, 0xc0, 0), scan(data)), '0 colour'],
    ['a short frame header', jpegOf(segment(0xc0, Uint8Array.of(8, 0, 9, 0, 7)), scan(data)), 'too short'],
    [
      'a frame header that lacks a component',
      jpegOf(segment(0xc0, Uint8Array.of(8, 0, 9, 0, 7, 1)), scan(data)),
      'length',
    ],
    [
      'a scan header without components',
      jpegOf(sof, segment(0xda, Uint8Array.of(0, 0, 63, 0)), data),
      'a scan header',
    ],
    [
      'a scan header with more components',
      jpegOf(sof, segment(0xda, Uint8Array.of(2, 1, 0, 2, 0, 0, 63, 0)), data),
      'a scan header',
    ],
    ['an empty scan header', jpegOf(sof, segment(0xda), data), 'a scan header'],
    ['text between segments', jpegOf(sof, Buffer.from('<script>'), scan(data)), 'where one is required'],
    [
      'a segment shorter than its length',
      jpegOf(sof, Uint8Array.of(0xff, 0xfe, 0, 1), scan(data)),
      'declares a wrong length',
    ],
    [
      'a segment that ends beyond the file',
      jpegOf(Uint8Array.of(0xff, 0xe0, 0xff, 0xff), sof, scan(data)),
      'declares a wrong length',
    ],
  ])('refuses %s', (_, bytes, why) =>
    expect(readJpeg(bytes)).toEqual({ fault: expect.stringContaining(why) }),
  );

  it('accepts 100 scans and refuses more, which take a decoder too long', () => {
    const scans = (count: number) =>
      jpegOf(frame(7, 9, 0xc2), ...Array.from({ length: count }, () => scan(data)));
    expect(readJpeg(scans(100))).toEqual(sides);
    expect(readJpeg(scans(101))).toEqual({ fault: expect.stringContaining('100 scans') });
  });

  it('refuses a JPEG cut off anywhere', () => {
    for (const whole of [jpeg(64, 40), jpegOf(exif, frame(7, 9, 0xc2), scan(data), exif, scan(data))]) {
      for (let length = 3; length < whole.length; length += 1) {
        expect(readJpeg(whole.subarray(0, length))).toHaveProperty('fault');
      }
    }
  });

  it('never throws for any bytes after the first marker, or for changed bytes', () => {
    const start = Uint8Array.of(0xff, 0xd8, 0xff);
    // Markers are rare among random bytes.
    const byte = fc.oneof(fc.constantFrom(0xff, 0xc0, 0xda, 0xd9, 0), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(byte), (tail) => void readJpeg(Buffer.concat([start, Buffer.from(tail)]))),
    );
    const whole = jpeg(64, 40);
    const change = fc.tuple(fc.nat(whole.length - 4), byte);
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = Buffer.from(whole);
        for (const [at, value] of changes) changed.writeUInt8(value, 3 + at);
        readJpeg(changed);
      }),
    );
  });

  it.each([
    ['markers', 'ff', 3_000_000],
    ['stuffed zeros', 'ff00', 1_500_000],
    ['restarts', 'ffd0', 1_500_000],
    ['comments', 'fffe0002', 750_000],
  ])('reads megabytes of %s in bounded time', (_, piece, count) => {
    const start = cpuMs();
    const filling = Buffer.from(piece.repeat(count), 'hex');
    readJpeg(jpegOf(sof, scan(data), filling));
    readJpeg(jpegOf(filling));
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});
