import { imageTypeOf } from '../magic.ts';
import type { Picture } from './picture.ts';
import { readPng } from './png.ts';
import { readSvg } from './svg.ts';

/** Reads a PNG or an SVG. Never throws; takes time in proportion to the bytes. */
export function readPicture(bytes: Uint8Array): Picture {
  const type = imageTypeOf(bytes);
  if (type === undefined) return readSvg(bytes);
  if (type !== 'png') return { format: 'other', why: `is a ${type.toUpperCase()} picture` };
  const sides = readPng(bytes);
  if (sides === undefined) return { format: 'other', why: 'starts like a PNG, but is damaged or cut off' };
  return { format: 'png', sides };
}
