import type { Sides } from './sides.ts';

/** A picture of the branding, read as far as the rules need it: by what is in the file, never by its name. */
export type Picture = PixelPicture | SvgPicture | NoPicture;

export type PixelPicture = { readonly format: 'png' | 'jpeg' | 'webp'; readonly sides: Sides };

export type SvgPicture = {
  readonly format: 'svg';
  /** Undefined when the document does not give a shape of its own. */
  readonly sides: Sides | undefined;
  /** The first thing in it that does more than draw, and where; undefined when there is none. */
  readonly hazard: string | undefined;
};

/** None that could be shown; `why` completes "this file …". */
export type NoPicture = { readonly format: 'other'; readonly why: string };

/** What a file of pixels says of itself, or where it is no such file; `fault` completes "starts like a PNG, but …". */
export type Reading = { readonly sides: Sides } | Fault;
export type Fault = { readonly fault: string };
