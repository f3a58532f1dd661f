import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-error.ts';

/** Formats of images that are read and written. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif';

const TYPES: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
};

/** The format of a media type; null for what is not opened as an image. */
export const imageFormatOf = (type: string): ImageFormat | null => TYPES[type] ?? null;

/** The format that a request ends in. */
export function targetFormat(given: ImageFormat, { op, format }: MediaRequest): ImageFormat {
  if (op !== 'convert') return given;
  const target = imageFormatOf(`image/${format}`);
  if (!target) throw new MediaError(`An image is not converted to ${format}.`);
  return target;
}

/** Which formats have no transparent pixels. */
export const isOpaque = (format: ImageFormat): boolean => format === 'jpeg';

/** Which formats hold several pictures one after the other. */
export const moves = (format: ImageFormat): boolean => format === 'gif' || format === 'webp';
