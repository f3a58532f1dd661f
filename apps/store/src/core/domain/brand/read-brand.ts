import { hasVisible, isPlainLine } from '@svc/text';
import { readPicture } from '@svc/validator';

/** Maximum characters of a store's name. Titles, the header and the passkey prompts of devices show it. */
export const MAX_NAME = 40;
export const MAX_LOGO_BYTES = 256 * 1024;
/** The least side of a logo, in pixels. */
export const MIN_SIDE = 64;

/** What is wrong with a value, to be read after its name. */
type Fault = { fault: string };

/** Reads the name of a store. */
export function readName(text: string): { name: string } | Fault {
  if (!isPlainLine(text))
    return { fault: 'must be one line without control, invisible or direction characters' };
  const name = text.trim().normalize('NFC');
  const isName = hasVisible(name) && [...name].length <= MAX_NAME;
  return isName ? { name } : { fault: `must have 1 to ${MAX_NAME} characters` };
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

/** Reads the accent of a store, which must be dark enough to read on a page. Dark pages mix it with white. */
export function readAccent(text: string): { accent: string } | Fault {
  const accent = text.trim().toLowerCase();
  if (!/^#[\da-f]{6}$/.test(accent)) return { fault: 'must be a colour such as #0b57b0' };
  const contrast = (luminance(PAGE) + 0.05) / (luminance(accent) + 0.05);
  if (contrast >= MIN_CONTRAST) return { accent };
  return {
    fault: `must have a contrast of at least ${MIN_CONTRAST} on ${PAGE}, and has ${contrast.toFixed(1)}: choose a darker colour`,
  };
}

/**
 * Reads a logo that an administrator sends, as far as it is safe to draw it. Only the drawing is kept.
 * @param encoded base64url
 */
export function readUploadedLogo(encoded: string): { bytes: Uint8Array } | Fault {
  const bytes = new Uint8Array(Buffer.from(encoded, 'base64url'));
  if (bytes.byteLength > MAX_LOGO_BYTES) return { fault: `must have at most ${MAX_LOGO_BYTES / 1024} KiB` };
  const picture = readPicture(bytes);
  if (picture.format === 'other')
    return { fault: `must be a PNG, JPEG, WebP or SVG, and the file ${picture.why}` };
  if (picture.format === 'svg')
    return picture.hazard === undefined ? { bytes } : { fault: `must only draw, but ${picture.hazard}` };
  const { width, height } = picture.sides;
  const isLarge = Math.min(width, height) >= MIN_SIDE;
  return isLarge
    ? { bytes }
    : { fault: `must have at least ${MIN_SIDE} pixels a side, and has ${width} by ${height}` };
}
