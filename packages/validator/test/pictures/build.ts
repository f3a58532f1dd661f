import { deflateSync } from 'node:zlib';
import { pngChunk } from '@svc/testkit';

/** The header of a PNG; `rest` is bit depth, colour type, compression, filter, interlace. */
export function header(width: number, height: number, rest: readonly number[] = [1, 0, 0, 0, 0]): Buffer {
  const data = Buffer.alloc(8 + rest.length);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set(rest, 8);
  return data;
}

export function pngOf(...chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), ...chunks]);
}

/** A real black PNG of one bit per pixel. */
export function png(width: number, height = width): Buffer {
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  return pngOf(
    pngChunk('IHDR', header(width, height)),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND'),
  );
}

/** An SVG of 24 by 24 units with this content, and with these attributes on its root. */
export function svg(inside: string, attributes = ''): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24" ${attributes}>${inside}</svg>`;
}

/** A marker segment of a JPEG with its length. */
export function segment(marker: number, data: Uint8Array = new Uint8Array()): Buffer {
  const framed = Buffer.alloc(4 + data.length);
  framed.writeUInt16BE(0xff00 + marker, 0);
  framed.writeUInt16BE(2 + data.length, 2);
  framed.set(data, 4);
  return framed;
}

/** A frame header for components without subsampling. */
export function frame(width: number, height: number, marker = 0xc0, components = 1, precision = 8): Buffer {
  const each = Array.from({ length: components }, (_, id) => [id + 1, 0x11, 0]).flat();
  const data = Buffer.from([precision, 0, 0, 0, 0, components, ...each]);
  data.writeUInt16BE(height, 1);
  data.writeUInt16BE(width, 3);
  return segment(marker, data);
}

/** A scan header for one component, followed by entropy-coded data. */
export function scan(data: Uint8Array): Buffer {
  return Buffer.concat([segment(0xda, Uint8Array.of(1, 1, 0, 0, 63, 0)), data]);
}

export function jpegOf(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Uint8Array.of(0xff, 0xd8), ...parts, Uint8Array.of(0xff, 0xd9)]);
}

/** A real grey JPEG. Its Huffman tables have one code each, so that two zero bits make a block of 8 by 8. */
export function jpeg(width: number, height = width): Buffer {
  const oneCode = [1, ...Array(15).fill(0), 0];
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const data = Buffer.alloc(Math.ceil(blocks / 4));
  // The last byte is padded with ones.
  if (blocks % 4 > 0) data.writeUInt8(0xff >> (2 * (blocks % 4)), data.length - 1);
  return jpegOf(
    segment(0xdb, Uint8Array.of(0, ...Array(64).fill(1))),
    frame(width, height),
    segment(0xc4, Uint8Array.of(0x00, ...oneCode)),
    segment(0xc4, Uint8Array.of(0x10, ...oneCode)),
    scan(data),
  );
}

/** A chunk of a WebP, or of a frame of one, padded to an even length. */
export function riffChunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const framed = Buffer.alloc(8 + data.length + (data.length % 2));
  framed.write(type, 'latin1');
  framed.writeUInt32LE(data.length, 4);
  framed.set(data, 8);
  return framed;
}

export function webpOf(...chunks: readonly Uint8Array[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** Numbers of three bytes, the least significant first. */
function triples(...numbers: readonly number[]): number[] {
  return numbers.flatMap((number) => [number & 0xff, (number >> 8) & 0xff, number >> 16]);
}

/** The header of an extended WebP; `flags` as RFC 9649 has them. */
export function vp8x(width: number, height: number, flags = 0): Buffer {
  return riffChunk('VP8X', Uint8Array.of(flags, 0, 0, 0, ...triples(width - 1, height - 1)));
}

/** The start of a lossy bitstream: a key frame whose first partition has `partition` bytes, and 4 bytes after its header. */
export function vp8(width: number, height: number, tag = 0x10, partition = 2): Buffer {
  const sides = [width & 0xff, width >> 8, height & 0xff, height >> 8];
  return riffChunk(
    'VP8 ',
    Uint8Array.of(...triples(tag | (partition << 5)), 0x9d, 1, 0x2a, ...sides, 0, 0, 0, 0),
  );
}

/** The start of a lossless bitstream. */
export function vp8l(width: number, height: number, version = 0): Buffer {
  const data = Buffer.of(0x2f, 0, 0, 0, 0, 0);
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14) | (version << 29)) >>> 0, 1);
  return riffChunk('VP8L', data);
}

/** A frame of an animation; `x` and `y` must be even. */
export function anmf(
  [x, y, width, height]: readonly [number, number, number, number],
  ...chunks: readonly Uint8Array[]
): Buffer {
  const header = [...triples(x / 2, y / 2, width - 1, height - 1, 100), 0];
  return riffChunk('ANMF', Buffer.concat([Uint8Array.from(header), ...chunks]));
}

export const ANIM = riffChunk('ANIM', new Uint8Array(6));

/** WebPs of 24 by 16 pixels as cwebp and webpmux write them. */
export const WEBPS = {
  lossy:
    'UklGRl4AAABXRUJQVlA4IFIAAACwAwCdASoYABAAPtFWo0u/pKMhsAgD8BoJbDuAGMeQdwf4AB7UYAD+7ts/z2h8AMiCd/cUScadZ/8lkh+9eSn0cvjXrhdI3p8S6ThAB2yUKoAA',
  lossless:
    'UklGRkwAAABXRUJQVlA4TEAAAAAvF8ADAH8AEIT/cQsT8ff/+U+WAVVk21BBBRVUUEEFFVRQQQUVVFBBBRX8bYaI/ufn4+Xh5uLkYGdjZWFmYmQg',
  transparent:
    'UklGRrgAAABXRUJQVlA4WAoAAAAQAAAAFwAADwAAQUxQSEAAAAABfyAkICqrvbchIggmaartmJR9gCqybaigggoqqKCCCiqooIIKKqigggr+NkNE/zMwMjGzsLKxc3BycfPw8vETVlA4IFIAAADwAwCdASoYABAAPtFUo0uoJKMhsAgBABoJbACdMoQMBs3ALNrLwnoAAP7ZvXVskNxeJmB/mRf9tCf/gmrT7o6FM2/XpcHf9TfYEyJwU8cW6AAA',
  animated:
    'UklGRvYAAABXRUJQVlA4WAoAAAACAAAAFwAADwAAQU5JTQYAAAD/////AABBTk1GagAAAAAAAAAAABcAAA8AAGQAAABWUDggUgAAALADAJ0BKhgAEAA+0VajS7+koyGwCAPwGglsO4AYx5B3B/gAHtRgAP7u2z/PaHwAyIJ39xRJxp1n/yWSH715KfRy+NeuF0jenxLpOEAHbJQqgABBTk1GWAAAAAAAAAAAABcAAA8AAGQAAABWUDhMQAAAAC8XwAMAfwAQhP9xCxPx9//5T5YBVWTbUEEFFVRQQQUVVFBBBRVUUEEFFfxthoj+5+fj5eHm4uRgZ2NlYWZiZCA=',
} as const;
