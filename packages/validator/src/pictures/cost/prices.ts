/**
 * What it takes Chromium to draw, in milliseconds of one core without a graphics card, for a picture of 512 by 512 pixels.
 * Prices of what covers an area are for the whole picture. Measured, and rounded up; `npm run bench -- pictures` tells what
 * the dearest pictures that pass really take: under 200, which leaves room for what is dearer together than apart.
 */
export const MAX_COST = 170;

/** An element, however small; one with an outline that is written; one without, such as a circle. */
export const ELEMENT = 0.005;
export const OUTLINE = 0.02;
export const SHAPE = 0.05;
/** An edge of an outline as high as the picture: in every row it is put in order among the others. */
export const HIGH_POINT = 0.07;
/** With `evenodd`, each crossing begins or ends a span: so many edges of one outline take as much again, up to so many times. */
export const EVEN_ODD_EDGES = 150;
export const MAX_EVEN_ODD = 5.5;
/** What a stroke adds to an edge, of which it makes four. */
export const STROKED = 1.5;
/** A point of an outline, wherever it is. */
export const POINT = 0.0003;
/** A dash of a dashed line, of which Skia draws a million at most. */
export const DASH = 0.001;
export const MAX_DASHES = 1_000_000;
/** A letter: its size is unknown here. */
export const LETTER = 0.04;
export const PLAIN_PAINT = 0.17;
export const GRADIENT_PAINT = 0.75;
/** A layer of its own, as for `opacity`; one that is blended by more than its opacity. */
export const LAYER = 2;
export const BLEND = 2.5;
export const CLIP = 2;
export const MASK = 4;
export const PATTERN = 2;
/** A rule of a style sheet that is matched against an element. */
export const RULE = 0.00005;

/** A filter, whatever its steps: what it is about is drawn apart. */
export const FILTER = 4;
/** A step of a filter; those not here and not below cost `PLAIN_STEP`. */
export const STEPS: Readonly<Record<string, number>> = {
  feDiffuseLighting: 20,
  feSpecularLighting: 25,
  feDisplacementMap: 5,
  feTile: 25,
  feOffset: 1,
  feFlood: 1,
  feBlend: 1,
  feComposite: 1,
};
export const PLAIN_STEP = 2.5;
/** A blur, for each pixel of its deviation in a picture of 512: wide ones are made from a smaller copy. */
export const BLUR = 4;
export const BLUR_PIXEL = 0.28;
export const MAX_BLUR = 45;
/** How many times more a blur takes of what was blurred in the same filter. */
export const BLUR_AGAIN = 3;
/** What a shadow takes beyond its blur. */
export const SHADOW = 6;
/** A blend by another mode than `normal`. */
export const MODE = 4;
/** An octave of noise. */
export const OCTAVE = 6;
/** An `feMorphology`, and for each pixel of its radius in a picture of 512. */
export const MORPHOLOGY = 14;
export const SPREAD = 5;
/** For each number of the matrix of an `feConvolveMatrix`. */
export const CONVOLVED = 10;
