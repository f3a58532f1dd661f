import { LIMITS } from '@svc/contracts/vocabulary';
import { didYouMeanPath, extensionOf, isBundlePath, tidyPath } from '../paths.ts';
import { readPixels } from '../pictures/read-picture.ts';
import {
  type Context,
  errorRule,
  inFiles,
  inManifest,
  inObject,
  type Padded,
  type Repair,
  type Spot,
} from '../rule.ts';
import type { BundleFile } from '../targets.ts';
import { show } from '../text.ts';
import { isFields, isList } from '../values.ts';

const icon = 'assets/icon.svg';
const mark = 'assets/mark.svg';
const shot = 'assets/shot.png';
const { iconBytes, markBytes, screenshotBytes } = LIMITS.branding;
const inBranding = inObject('/branding', { icon }, (branding) => ({ branding }));
const ACCENT = /^#[0-9a-fA-F]{6}$/;
/** A hexadecimal colour that may lack its `#` or have three digits. */
const HEX_COLOUR = /^#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})$/;
const SCREENSHOT_EXTENSIONS: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'webp']);
/** A PNG of one pixel. */
const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"/>\n';

/** How the app looks in the catalogue. */
export const brandingRules = [
  errorRule('branding.format', 'branding', {
    message: (value) => `"branding" must be an object with at least an "icon", not ${show(value)}.`,
    why: 'The icon, the mark, the colour and the screenshots are separate fields.',
    example: inManifest('/branding', { branding: icon }, { branding: { icon } }),
    fails: (branding) => branding !== undefined && !isFields(branding),
  }),
  errorRule('branding.icon.missing', 'branding.icon', {
    message: `"branding.icon" is missing: write the path of a square PNG or SVG in the bundle, such as "${icon}".`,
    why: 'The catalogue shows every app with its icon.',
    example: inManifest('/branding/icon', { branding: {} }, { branding: { icon } }),
    fails: (path, { mode }) => path === undefined && mode === 'store',
  }),
  errorRule('branding.icon', 'branding.icon', {
    message: (value, { entries }) =>
      `"icon" must be the path of a file in the bundle, such as "${icon}", not ${show(value)}.${didYouMeanPath(value, entries)}`,
    why: 'The store serves the icon from the bundle. A file elsewhere could change after the review.',
    example: inBranding('/icon', { icon: '/assets/icon.svg' }),
    fails: (path) => path !== undefined && !isBundlePath(path),
    repair: repairPath,
  }),
  errorRule('branding.icon.size', 'branding.icon.file', {
    message: `The icon file is too large: reduce it to ${iconBytes} bytes (1 MB) or less.`,
    why: 'Every visitor of the catalogue downloads it.',
    example: inFiles(
      '/branding/icon',
      { [icon]: padded(svg, iconBytes + 1) },
      { [icon]: padded(svg, iconBytes) },
    ),
    fails: (file) => isLarger(file, iconBytes),
  }),
  errorRule('branding.mark', 'branding.mark', {
    message: (value, { entries }) =>
      `"mark" must be the path of an SVG in the bundle, such as "${mark}", not ${show(value)}.${didYouMeanPath(value, entries)}`,
    why: 'The store serves the mark from the bundle. A file elsewhere could change after the review.',
    example: {
      path: '/branding/mark',
      broken: { manifest: { branding: { icon, mark: 'https://example.com/mark.svg' } } },
      fixed: { manifest: { branding: { icon, mark } }, files: { [mark]: svg } },
    },
    fails: (path) => path !== undefined && !isBundlePath(path),
    repair: repairPath,
  }),
  errorRule('branding.mark.size', 'branding.mark.file', {
    message: `The mark file is too large: reduce it to ${markBytes} bytes (1 MB) or less.`,
    why: 'Clients show it often and at a small size.',
    example: inFiles(
      '/branding/mark',
      { [mark]: padded(svg, markBytes + 1) },
      { [mark]: padded(svg, markBytes) },
      { icon, mark },
    ),
    fails: (file) => isLarger(file, markBytes),
  }),
  errorRule('branding.accent', 'branding.accent', {
    message: (value) =>
      `"accent" must be a colour with "#" and six hexadecimal digits, such as "#1a7f5c", not ${show(value)}.`,
    why: 'The colour is inserted into style sheets, where other notations could contain more than a colour.',
    example: inBranding('/accent', { accent: 'green' }, { accent: '#1a7f5c' }),
    fails: (accent) => accent !== undefined && !(typeof accent === 'string' && ACCENT.test(accent)),
    repair: (accent) => {
      const colour = sixDigits(accent);
      return colour === undefined ? undefined : { put: colour };
    },
  }),
  errorRule('branding.screenshots', 'branding.screenshots', {
    message: (value, { entries }) =>
      value instanceof InvalidScreenshot
        ? `A screenshot ${value.why}.${didYouMeanPath(value.path, entries)}`
        : `"screenshots" must be a list of up to ${LIMITS.branding.screenshots} paths of PNG, JPEG or WebP files in the bundle.`,
    why: 'The page of the app shows them, so they must be in formats that every browser supports.',
    example: {
      path: '/branding/screenshots/0',
      broken: {
        manifest: { branding: { icon, screenshots: ['assets/shot.tiff'] } },
        files: { 'assets/shot.tiff': 'II*' },
      },
      fixed: { manifest: { branding: { icon, screenshots: [shot] } }, files: { [shot]: png } },
    },
    fails: (screenshots, { entries }) => {
      if (screenshots === undefined) return false;
      if (!isList(screenshots) || screenshots.length > LIMITS.branding.screenshots) return true;
      return screenshots.flatMap((path, index) => invalidScreenshots(path, index, entries));
    },
    repair: (value, context) =>
      value instanceof InvalidScreenshot ? repairPath(value.path, context) : undefined,
  }),
  errorRule('branding.screenshot.size', 'branding.screenshot.file', {
    message: `The screenshot is too large: reduce it to ${screenshotBytes} bytes (3 MB) or less.`,
    why: 'Users with slow connections must be able to load the page.',
    example: inFiles(
      '/branding/screenshots/0',
      { [shot]: padded(png, screenshotBytes + 1) },
      { [shot]: padded(png, screenshotBytes) },
      { icon, screenshots: [shot] },
    ),
    fails: (file) => isLarger(file, screenshotBytes),
  }),
] as const;

/** A screenshot of the list and what is wrong with it. A class, so that no value of a manifest can be mistaken for one. */
class InvalidScreenshot {
  readonly path: unknown;
  /** Completes "A screenshot …". */
  readonly why: string;
  constructor(path: unknown, why: string) {
    this.path = path;
    this.why = why;
  }
}

function invalidScreenshots(path: unknown, index: number, entries: Context['entries']): Spot[] {
  const why = screenshotProblem(path, entries);
  return why === undefined ? [] : [{ at: [index], value: new InvalidScreenshot(path, why) }];
}

function screenshotProblem(path: unknown, entries: Context['entries']): string | undefined {
  if (!isBundlePath(path)) {
    return `must be the path of a file in the bundle, such as "${shot}", not ${show(path)}`;
  }
  if (!SCREENSHOT_EXTENSIONS.has(extensionOf(path))) {
    return `must end in .png, .jpg, .jpeg or .webp, not be ${show(path)}`;
  }
  const bytes = entries?.get(path);
  // A missing or too large file is already reported; the size also bounds the work.
  if (bytes === undefined || bytes.length > screenshotBytes) return undefined;
  const picture = readPixels(bytes);
  return picture.format === 'other'
    ? `must contain a PNG, JPEG or WebP image: this file ${picture.why}`
    : undefined;
}

function repairPath(path: unknown, { entries }: Context): Repair | undefined {
  const tidy = tidyPath(path, entries);
  return tidy === undefined ? undefined : { put: tidy };
}

/** Normalises a hexadecimal colour to `#` and six digits; CSS expands three digits by doubling each. */
function sixDigits(value: unknown): string | undefined {
  const [, digits] = (typeof value === 'string' && HEX_COLOUR.exec(value)) || [];
  if (digits === undefined) return undefined;
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
}

function isLarger(file: BundleFile, limit: number): boolean {
  return file.bytes.length > limit;
}

function padded(start: string | Uint8Array, bytes: number): Padded {
  return { start, bytes };
}
