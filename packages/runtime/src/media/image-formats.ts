import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-task.ts';

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
