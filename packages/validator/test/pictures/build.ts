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

/** An SVG of 24 units with something in it, and with attributes on its root. */
export function svg(inside: string, attributes = ''): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24" ${attributes}>${inside}</svg>`;
}
