import type { MediaRequest } from '@svc/contracts';
import sharp from 'sharp';
import { MediaError } from './media-task.ts';

/** Maximum pixels of all frames of a file, before and after: enough for cameras, and a limit for decompression bombs. */
export const MAX_PIXELS = 100_000_000;

/** Decoders of sharp that this process may run, by the end of their names in libvips. */
const FILES = ['Png', 'Jpeg', 'Webp', 'Heif', 'Nsgif', 'Tiff'];
const DRAWINGS = ['Png', 'Jpeg', 'Webp', 'Svg'];

sharp.concurrency(1);
sharp.cache(false);

/** Enables only these decoders, whatever type a file claims. One task runs at a time in a process. */
export function enableDecoders(of: 'files' | 'drawings'): void {
  const names = of === 'files' ? FILES : DRAWINGS;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: names.map((name) => `VipsForeignLoad${name}Buffer`) });
}

/** Image formats that can be read and written. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif';

/** Image formats that can only be read, and the format of their results unless a request names another. */
const READ_ONLY = { heic: 'jpeg', tiff: 'jpeg', bmp: 'png' } as const satisfies Record<string, ImageFormat>;

export type ReadableFormat = ImageFormat | keyof typeof READ_ONLY;

const TYPES: Readonly<Record<string, ReadableFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/tiff': 'tiff',
  'image/bmp': 'bmp',
};

/** The format of a media type; null if pictures of this type cannot be read. */
export const imageFormatOf = (type: string): ReadableFormat | null => TYPES[type] ?? null;

/** Whether a format can only be read. */
const isReadOnly = (format: ReadableFormat): format is keyof typeof READ_ONLY =>
  Object.hasOwn(READ_ONLY, format);

/** The format of the result of a request. */
export function targetFormat(given: ReadableFormat, { op, format }: MediaRequest): ImageFormat {
  if (op !== 'convert') return isReadOnly(given) ? READ_ONLY[given] : given;
  const target = imageFormatOf(`image/${format}`);
  if (target === null || isReadOnly(target)) throw new MediaError(`Images cannot be converted to ${format}.`);
  return target;
}

/** Whether a format has no transparency. */
export const isOpaque = (format: ImageFormat): boolean => format === 'jpeg';

/** Whether a format can be animated. */
export const moves = (format: ImageFormat): boolean => format === 'gif' || format === 'webp';
