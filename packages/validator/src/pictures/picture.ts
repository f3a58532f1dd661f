import { LIMITS } from '@svc/contracts/vocabulary';

/** Width and height of an image, in its own units: pixels of a raster image, any unit of an SVG. */
export type Sides = { readonly width: number; readonly height: number };

/**
 * Maximum number of pixels, in total and on one side: twice an 8K screen, or a screenshot of a long page at double density.
 * Drawing it takes 256 MiB, which a file of a few kilobytes could cause for every visitor.
 */
const MAX_PIXELS = 2 ** 26;
const MAX_SIDE = LIMITS.media.dimension.max;

/** Maximum length of a number with its unit, in characters. */
const MAX_NUMBER = 40;
const NUMBER = /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const ANY_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const LENGTH = /^([+\d.e-]+?)\s*(px|pt|pc|mm|cm|q|in|em|ex|rem)?$/i;

/** Why a raster image with these sides is refused, to complete "…, but"; undefined when it is allowed. */
export function undrawableReason({ width, height }: Sides): string | undefined {
  const claim = `it declares ${width} by ${height} pixels`;
  if (width === 0 || height === 0) return claim;
  if (width > MAX_SIDE || height > MAX_SIDE) return `${claim}: ${MAX_SIDE} is the longest side`;
  return width * height > MAX_PIXELS ? `${claim}: at most ${MAX_PIXELS} in total are allowed` : undefined;
}

/**
 * The sides from the root of an SVG: `width` and `height` if both are lengths in the same unit, since they take precedence
 * over the viewBox; otherwise the viewBox. Undefined without either; percentages do not count.
 */
export function svgSides(width: string, height: string, viewBox: string): Sides | undefined {
  const across = lengthOf(width);
  const down = lengthOf(height);
  if (across !== undefined && down !== undefined && across.unit === down.unit) {
    return { width: across.size, height: down.size };
  }
  return viewBoxSides(viewBox);
}

function lengthOf(text: string): { size: number; unit: string } | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_NUMBER) return undefined;
  const [, number = '', unit = 'px'] = LENGTH.exec(trimmed) ?? [];
  const size = NUMBER.test(number) ? Number(number) : 0;
  return isSide(size) ? { size, unit: unit.toLowerCase() } : undefined;
}

function viewBoxSides(text: string): Sides | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 4 * MAX_NUMBER) return undefined;
  const parts = trimmed.split(/\s*,\s*|\s+/);
  if (parts.length !== 4 || !parts.every((part) => ANY_NUMBER.test(part))) return undefined;
  const [, , width = 0, height = 0] = parts.map(Number);
  return isSide(width) && isSide(height) ? { width, height } : undefined;
}

function isSide(size: number): boolean {
  return size > 0 && Number.isFinite(size);
}

/** An image of the branding, read as far as the rules need it, by the content of the file and never by its name. */
export type Picture = PixelPicture | SvgPicture | NoPicture;

export type PixelPicture = { readonly format: 'png' | 'jpeg' | 'webp'; readonly sides: Sides };

export type SvgPicture = {
  readonly format: 'svg';
  /** Undefined when the document declares no size. */
  readonly sides: Sides | undefined;
  /** The first part that does more than draw, with its line; undefined when there is none. */
  readonly hazard: string | undefined;
};

/** Not an image that can be shown; `why` completes "this file …". */
export type NoPicture = { readonly format: 'other'; readonly why: string };

/** The sides that a raster image declares, or why it is invalid; `fault` completes "starts like a PNG, but …". */
export type Reading = { readonly sides: Sides } | Fault;
export type Fault = { readonly fault: string };
