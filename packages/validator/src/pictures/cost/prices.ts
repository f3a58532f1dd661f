/**
 * What it takes Chromium to draw, in milliseconds of one core without a graphics card, for a picture of 512 by 512 pixels.
 * Prices of what covers an area are for the whole picture. Measured, and rounded up; `npm run bench -- pictures` tells what
 * the dearest pictures that pass really take.
 */
export const MAX_COST = 200;

/** An element, however small. */
export const ELEMENT = 0.012;
/** A point of an outline as high as the picture: its edges are looked at in every row. Any point costs a little. */
export const HIGH_POINT = 0.005;
export const POINT = 0.0003;
/** A dash of a dashed line, of which Skia draws a million at most. */
export const DASH = 0.001;
export const MAX_DASHES = 1_000_000;
/** A letter: its size is unknown here. */
export const LETTER = 0.04;
export const PLAIN_PAINT = 0.15;
export const GRADIENT_PAINT = 0.75;
/** A layer of its own, as for `opacity`; one that is blended by more than its opacity. */
export const LAYER = 0.7;
export const BLEND = 1;
export const CLIP = 0.7;
export const MASK = 2.5;
export const PATTERN = 2;
/** A rule of a style sheet that is matched against an element. */
export const RULE = 0.00005;

/** A filter, whatever its steps: what it is about is drawn apart. */
export const FILTER = 2.5;
/** A step of a filter; those not here and not below cost `PLAIN_STEP`. */
export const STEPS: Readonly<Record<string, number>> = {
  feDiffuseLighting: 20,
  feSpecularLighting: 25,
  feDisplacementMap: 5,
  feOffset: 0.3,
  feFlood: 0.3,
  feBlend: 1,
  feComposite: 1,
};
export const PLAIN_STEP = 2;
/** A blur, for each pixel of its deviation in a picture of 512: wide ones are made from a smaller copy. */
export const BLUR = 4;
export const BLUR_PIXEL = 0.3;
export const MAX_BLUR = 20;
/** How many times more a blur takes of what was blurred in the same filter. */
export const BLUR_AGAIN = 3;
/** What a shadow takes beyond its blur. */
export const SHADOW = 6;
/** A blend by another mode than `normal`. */
export const MODE = 4;
/** An octave of noise. */
export const OCTAVE = 6;
/** For each pixel of the radius of an `feMorphology`, in a picture of 512. */
export const SPREAD = 8;
/** For each number of the matrix of an `feConvolveMatrix`. */
export const CONVOLVED = 10;
