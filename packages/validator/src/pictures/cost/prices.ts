/**
 * What it takes Chromium to draw, in milliseconds of one core without a graphics card, for a picture of 512 by 512 pixels.
 * Prices of what covers an area are for the whole picture. Measured, and rounded up; `npm run bench -- pictures` tells what
 * the dearest pictures that pass really take: under 200, which leaves room for what is dearer together than apart.
 */
export const MAX_COST = 178;

/** An element, however small; one with an outline that is written; one without, such as a circle. */
export const ELEMENT = 0.005;
export const OUTLINE = 0.02;
export const SHAPE = 0.055;
/** An edge of an outline as high as the picture: in every row it is put in order among the others. */
export const HIGH_POINT = 0.07;
/** With `evenodd`, each crossing begins or ends a span: so many edges of one outline take as much again, up to so many times. */
export const EVEN_ODD_EDGES = 150;
export const MAX_EVEN_ODD = 5.5;
/** What a stroke adds to an edge, of which it makes four; so much of it however thin it is, and all from some width on. */
export const STROKED = 1.5;
export const THIN_STROKE = 0.3;
export const WIDE_STROKE = 0.03;
/** A point of an outline, wherever it is. */
export const POINT = 0.0003;
/** A dash of a dashed line, of which Skia draws a million at most. */
export const DASH = 0.001;
export const MAX_DASHES = 1_000_000;
/** A letter: its size is unknown here. */
export const LETTER = 0.04;
export const PLAIN_PAINT = 0.17;
export const GRADIENT_PAINT = 0.8;
/** A layer of its own, as for `opacity`; one that is blended by more than its opacity. */
export const LAYER = 2;
export const BLEND = 2.5;
export const CLIP = 2;
export const MASK = 4;
/** A pattern, for the area that is painted with it and of one of its tiles, of which Skia draws so many pictures at most. */
export const PATTERN = 2;
export const MAX_TILE = 16;
/** A rule of a style sheet that is matched against an element. */
export const RULE = 0.00005;

/** A filter, whatever its steps: what it is about is drawn apart. */
export const FILTER = 2;
/** A filter and each of its steps, however small; a layer, a mask, a clip, a pattern. */
export const FILTER_ALONE = 0.25;
export const STEP_ALONE = 0.02;
export const LAYER_ALONE = 0.05;
export const CLIP_ALONE = 0.1;
export const PATTERN_ALONE = 0.1;
/** A step of a filter; those not here and not below cost `PLAIN_STEP`. */
export const STEPS: Readonly<Record<string, number>> = {
  feDiffuseLighting: 20,
  feSpecularLighting: 25,
  feDisplacementMap: 6,
  feTile: 25,
  feOffset: 1,
  feFlood: 1,
  feBlend: 1,
  feComposite: 1,
};
export const PLAIN_STEP = 2.5;
/** A blur, for the area that it makes: so far around what is blurred as it looks, up to so many sides of the picture. */
export const BLUR = 8;
export const BLUR_MARGIN = 0.9;
/** How many times more a blur takes of what was blurred before. */
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
