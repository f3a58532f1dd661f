import { readFileSync, statSync } from 'node:fs';
import { hasVisible, isPlainLine } from '@svc/text';
import { readPixels } from '@svc/validator';
import type { Logo } from '../../platform/brand.ts';
import { SettingError } from './setting.ts';

/** Maximum characters of a store's name. Titles, the header and the passkey prompts of devices show it. */
const MAX_NAME = 40;
const MAX_LOGO_BYTES = 256 * 1024;
const [MIN_SIDE, MAX_SIDE] = [64, 1024];

/**
 * Reads the name of a store.
 * @throws SettingError for text with hidden characters, or characters that change the reading direction
 */
export function readStoreName(text: string): string | undefined {
  if (!isPlainLine(text))
    throw new SettingError('must be one line without control, invisible or direction characters');
  const name = text.trim().normalize('NFC');
  return hasVisible(name) && [...name].length <= MAX_NAME ? name : undefined;
}

/** The least contrast of text on its background (WCAG 2.2, 1.4.3), and the page behind it. */
const MIN_CONTRAST = 4.5;
const PAGE = '#fafaf7';

/** The relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Reads the accent of a store. Dark pages mix it with white.
 * @throws SettingError for a colour that is too light to read on a page
 */
export function readAccent(text: string): string | undefined {
  const colour = text.toLowerCase();
  if (!/^#[\da-f]{6}$/.test(colour)) return undefined;
  const contrast = (luminance(PAGE) + 0.05) / (luminance(colour) + 0.05);
  if (contrast < MIN_CONTRAST)
    throw new SettingError(
      `must have a contrast of at least ${MIN_CONTRAST} on ${PAGE}, and has ${contrast.toFixed(1)}: choose a darker colour`,
    );
  return colour;
}

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
