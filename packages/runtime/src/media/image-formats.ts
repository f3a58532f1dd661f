import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-error.ts';

/** Image formats that can be read and written. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif';

const TYPES: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
};

/** The format of a media type; null if it is not a supported image type. */
export const imageFormatOf = (type: string): ImageFormat | null => TYPES[type] ?? null;

/** The format of the result of a request. */
export function targetFormat(given: ImageFormat, { op, format }: MediaRequest): ImageFormat {
  if (op !== 'convert') return given;
  const target = imageFormatOf(`image/${format}`);
  if (!target) throw new MediaError(`Images cannot be converted to ${format}.`);
  return target;
}

/** Whether a format has no transparency. */
export const isOpaque = (format: ImageFormat): boolean => format === 'jpeg';

/** Whether a format can be animated. */
export const moves = (format: ImageFormat): boolean => format === 'gif' || format === 'webp';
