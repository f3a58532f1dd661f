import { readJpeg } from './jpeg.ts';
import { type Kind, kindOf } from './kind.ts';
import { type NoPicture, type Picture, type PixelPicture, undrawableReason } from './picture.ts';
import { readPng } from './png.ts';
import { readSvg } from './svg.ts';
import { readWebp } from './webp.ts';

const READERS = {
  png: { name: 'PNG', read: readPng },
  jpeg: { name: 'JPEG', read: readJpeg },
  webp: { name: 'WebP', read: readWebp },
} as const;

/** Reads a PNG, JPEG, WebP or SVG. Never throws; takes linear time. */
export function readPicture(bytes: Uint8Array): Picture {
  const kind = kindOf(bytes);
  return kind.format === 'markup' ? readSvg(bytes) : readAs(kind, bytes);
}

/** Reads a PNG, JPEG or WebP without decoding it, but not an SVG. Never throws; takes linear time. */
export function readPixels(bytes: Uint8Array): PixelPicture | NoPicture {
  return readAs(kindOf(bytes), bytes);
}

function readAs(kind: Kind, bytes: Uint8Array): PixelPicture | NoPicture {
  if (kind.format === 'markup' || kind.format === 'other') return { format: 'other', why: `is ${kind.what}` };
  const { name, read } = READERS[kind.format];
  const reading = read(bytes);
  if ('fault' in reading) return damaged(name, reading.fault);
  const undrawable = undrawableReason(reading.sides);
  return undrawable === undefined ? { format: kind.format, sides: reading.sides } : damaged(name, undrawable);
}

function damaged(name: string, fault: string): NoPicture {
  return { format: 'other', why: `begins like a ${name}, but ${fault}` };
}
