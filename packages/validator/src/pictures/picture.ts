import type { Sides } from './sides.ts';

/** A picture of the branding, read as far as the rules need it: by what is in the file, never by its name. */
export type Picture =
  | { readonly format: 'png'; readonly sides: Sides }
  | SvgPicture
  /** Neither of the two; `why` completes "…: it". */
  | { readonly format: 'other'; readonly why: string };

export type SvgPicture = {
  readonly format: 'svg';
  /** Undefined when the document does not give a shape of its own. */
  readonly sides: Sides | undefined;
  /** The first thing in it that does more than draw, and where; undefined when there is none. */
  readonly hazard: string | undefined;
};
