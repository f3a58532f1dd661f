import type { Sides } from './sides.ts';

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
