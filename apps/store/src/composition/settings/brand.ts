import { readFileSync, statSync } from 'node:fs';
import { readPixels } from '@svc/validator';
import { MAX_LOGO_BYTES, MIN_SIDE, readAccent, readName } from '../../core/domain/brand/read-brand.ts';
import type { Logo } from '../../platform/brand.ts';
import { orFault, SettingError } from './setting.ts';

const MAX_SIDE = 1024;

/**
 * Reads the name of a store.
 * @throws SettingError for a text that is empty, too long, or has hidden characters
 */
export const readStoreName = (text: string): string => orFault(readName(text)).name;

/**
 * Reads the accent of a store.
 * @throws SettingError for a colour that is too light to read on a page
 */
export const readStoreAccent = (text: string): string => orFault(readAccent(text)).accent;

/** Reads a file, unless it is larger than a logo may be. */
function readBytes(file: string): Uint8Array | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  if (stats.size > MAX_LOGO_BYTES)
    throw new SettingError(`must be a file of at most ${MAX_LOGO_BYTES / 1024} KiB`);
  return readFileSync(file);
}

/**
 * Reads the logo of a store. An SVG is refused: it is a document, and other servers that show the logo may open it as one.
 * @throws SettingError with what is wrong with the file
 */
export function readLogo(file: string): Logo | undefined {
  const bytes = readBytes(file);
  if (bytes === undefined) return undefined;
  const picture = readPixels(bytes);
  if (picture.format === 'other')
    throw new SettingError(`must be a PNG, JPEG or WebP, and the file ${picture.why}`);
  const { width, height } = picture.sides;
  if (width !== height || width < MIN_SIDE || width > MAX_SIDE) {
    throw new SettingError(
      `must be a square of ${MIN_SIDE} to ${MAX_SIDE} pixels, and the file has ${width} by ${height}`,
    );
  }
  return { bytes, format: picture.format };
}
