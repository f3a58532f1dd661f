import { LIMITS } from '@svc/contracts/vocabulary';
import { extensionOf, isBundlePath, tidyPath } from '../paths.ts';
import { readPixels } from '../pictures/read-picture.ts';
import { type Context, defineRule, type Padded, type Repair, type Spot } from '../rule.ts';
import type { BundleFile } from '../targets.ts';
import { show } from '../text.ts';
import { isFields, isList } from '../values.ts';

const icon = 'assets/icon.svg';
const mark = 'assets/mark.svg';
const shot = 'assets/shot.png';
const ACCENT = /^#[0-9a-fA-F]{6}$/;
/** The same without its sharp sign, or in three digits. */
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
  defineRule({
    code: 'branding.format',
    level: 'error',
    target: 'branding',
    message: (value) => `"branding" must be an object with at least an "icon", not ${show(value)}.`,
    why: 'Icon, mark, colour and screenshots are separate files and values.',
    example: {
      path: '/branding',
      broken: { manifest: { branding: icon } },
      fixed: { manifest: { branding: { icon } } },
    },
    fails: (branding) => branding !== undefined && !isFields(branding),
  }),
  defineRule({
    code: 'branding.icon.missing',
    level: 'error',
    target: 'branding.icon',
    message: `A store app needs "branding.icon": the path of a square PNG or SVG in the bundle, such as "${icon}".`,
    why: 'The catalogue shows every app with its icon.',
    example: {
      path: '/branding/icon',
      broken: { manifest: { branding: {} } },
      fixed: { manifest: { branding: { icon } } },
    },
    fails: (path, { mode }) => path === undefined && mode === 'store',
  }),
  defineRule({
    code: 'branding.icon',
    level: 'error',
    target: 'branding.icon',
    message: (value) =>
      `"icon" must be the path of a file in the bundle, such as "${icon}", not ${show(value)}.`,
    why: 'The store serves the icon from the bundle; an address elsewhere could change after the review.',
    example: {
      path: '/branding/icon',
      broken: { manifest: { branding: { icon: '/assets/icon.svg' } } },
      fixed: { manifest: { branding: { icon } } },
    },
    fails: (path) => path !== undefined && !isBundlePath(path),
    repair: tidied,
  }),
  defineRule({
    code: 'branding.icon.size',
    level: 'error',
    target: 'branding.icon.file',
    message: `The icon file is too large: shrink it to ${LIMITS.branding.iconBytes} bytes (1 MB) or less.`,
    why: 'Every visitor of the catalogue loads it.',
    example: {
      path: '/branding/icon',
      broken: { files: { [icon]: padded(svg, LIMITS.branding.iconBytes + 1) } },
      fixed: { files: { [icon]: padded(svg, LIMITS.branding.iconBytes) } },
    },
    fails: (file) => isLarger(file, LIMITS.branding.iconBytes),
  }),
  defineRule({
    code: 'branding.mark',
    level: 'error',
    target: 'branding.mark',
    message: (value) =>
      `"mark" must be the path of an SVG in the bundle, such as "${mark}", not ${show(value)}.`,
    why: 'The store serves the mark from the bundle; an address elsewhere could change after the review.',
    example: {
      path: '/branding/mark',
      broken: { manifest: { branding: { icon, mark: 'https://example.com/mark.svg' } } },
      fixed: { manifest: { branding: { icon, mark } }, files: { [mark]: svg } },
    },
    fails: (path) => path !== undefined && !isBundlePath(path),
    repair: tidied,
  }),
  defineRule({
    code: 'branding.mark.size',
    level: 'error',
    target: 'branding.mark.file',
    message: `The mark file is too large: shrink it to ${LIMITS.branding.markBytes} bytes (1 MB) or less.`,
    why: 'It is drawn small and often.',
    example: {
      path: '/branding/mark',
      broken: {
        manifest: { branding: { icon, mark } },
        files: { [mark]: padded(svg, LIMITS.branding.markBytes + 1) },
      },
      fixed: {
        manifest: { branding: { icon, mark } },
        files: { [mark]: padded(svg, LIMITS.branding.markBytes) },
      },
    },
    fails: (file) => isLarger(file, LIMITS.branding.markBytes),
  }),
  defineRule({
    code: 'branding.accent',
    level: 'error',
    target: 'branding.accent',
    message: (value) =>
      `"accent" must be a colour of six hexadecimal digits such as "#1a7f5c", not ${show(value)}.`,
    why: 'It is put into the style of pages, where other notations could carry more than a colour.',
    example: {
      path: '/branding/accent',
      broken: { manifest: { branding: { icon, accent: 'green' } } },
      fixed: { manifest: { branding: { icon, accent: '#1a7f5c' } } },
    },
    fails: (accent) => accent !== undefined && !(typeof accent === 'string' && ACCENT.test(accent)),
    repair: (accent) => {
      const colour = sixDigits(accent);
      return colour === undefined ? undefined : { put: colour };
    },
  }),
  defineRule({
    code: 'branding.screenshots',
    level: 'error',
    target: 'branding.screenshots',
    message: (value) =>
      value instanceof BadShot
        ? `A screenshot ${value.why}.`
        : `"screenshots" must be a list of up to ${LIMITS.branding.screenshots} paths of PNG, JPEG or WebP files in the bundle.`,
    why: 'They are shown in a row beside the description, in formats every browser draws.',
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
      return screenshots.flatMap((path, index) => badShots(path, index, entries));
    },
    repair: (value, context) => (value instanceof BadShot ? tidied(value.path, context) : undefined),
  }),
  defineRule({
    code: 'branding.screenshot.size',
    level: 'error',
    target: 'branding.screenshot.file',
    message: `The screenshot is too large: shrink it to ${LIMITS.branding.screenshotBytes} bytes (3 MB) or less.`,
    why: 'People with slow connections look at the store too.',
    example: {
      path: '/branding/screenshots/0',
      broken: {
        manifest: { branding: { icon, screenshots: [shot] } },
        files: { [shot]: padded(png, LIMITS.branding.screenshotBytes + 1) },
      },
      fixed: {
        manifest: { branding: { icon, screenshots: [shot] } },
        files: { [shot]: padded(png, LIMITS.branding.screenshotBytes) },
      },
    },
    fails: (file) => isLarger(file, LIMITS.branding.screenshotBytes),
  }),
] as const;

/** One screenshot of the list and what is wrong with it. A class: no value of a manifest can be taken for one. */
class BadShot {
  readonly path: unknown;
  /** Completes "A screenshot …". */
  readonly why: string;
  constructor(path: unknown, why: string) {
    this.path = path;
    this.why = why;
  }
}

function badShots(path: unknown, index: number, entries: Context['entries']): Spot[] {
  const why = whyBadShot(path, entries);
  return why === undefined ? [] : [{ at: [index], value: new BadShot(path, why) }];
}

function whyBadShot(path: unknown, entries: Context['entries']): string | undefined {
  if (!isBundlePath(path)) {
    return `must be the path of a file in the bundle, such as "${shot}", not ${show(path)}`;
  }
  if (!SCREENSHOT_EXTENSIONS.has(extensionOf(path))) {
    return `must end in .png, .jpg, .jpeg or .webp, unlike ${show(path)}`;
  }
  const bytes = entries?.get(path);
  // One that is not there or too large is a finding already; the latter bounds the work, too.
  if (bytes === undefined || bytes.length > LIMITS.branding.screenshotBytes) return undefined;
  const picture = readPixels(bytes);
  return picture.format === 'other'
    ? `must be a PNG, JPEG or WebP, whatever its name: this file ${picture.why}`
    : undefined;
}

function tidied(path: unknown, { entries }: Context): Repair | undefined {
  const tidy = tidyPath(path, entries);
  return tidy === undefined ? undefined : { put: tidy };
}

/** A colour of hexadecimal digits as it is asked for; CSS reads three digits as six, each of them twice. */
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
