/**
 * The maximum cost of a drawing. Costs are the time that Chromium takes to draw, in milliseconds of one core without a GPU,
 * for a picture of 512 by 512 pixels. Prices per area are for the whole picture. Measured, and rounded up;
 * `npm run bench -- pictures` measures the most expensive accepted pictures: under 200, a reserve for costs that interact.
 */
export const MAX_COST = 178;

/** An element that draws nothing itself; a shape with a written outline; a shape without one, such as a circle. */
export const ELEMENT = 0.005;
export const OUTLINE = 0.02;
export const SHAPE = 0.055;
/** An edge of an outline as high as the picture: in every row it is sorted among the other edges. */
export const HIGH_POINT = 0.07;
/** With `evenodd`, each crossing starts or ends a span: this many edges of one outline cost as much again, up to a maximum. */
export const EVEN_ODD_EDGES = 150;
export const MAX_EVEN_ODD = 5.5;
/** The rate that a stroke adds to an edge, of which it makes four: at least `THIN_STROKE` of it, and all of it for wide strokes. */
export const STROKED = 1.5;
export const THIN_STROKE = 0.3;
export const WIDE_STROKE = 0.03;
/** A point of an outline, at any position. */
export const POINT = 0.0003;
/** A dash of a dashed line; Skia draws a million dashes at most. */
export const DASH = 0.001;
export const MAX_DASHES = 1_000_000;
/** A letter: its size is unknown here. */
export const LETTER = 0.04;
export const PLAIN_PAINT = 0.17;
export const GRADIENT_PAINT = 0.8;
/** A separate layer, such as for `opacity`; a layer with a blend mode. */
export const LAYER = 2;
export const BLEND = 2.5;
export const CLIP = 2;
export const MASK = 4;
/** A pattern, for the painted area and for one tile; Skia draws at most this many pictures of a tile. */
export const PATTERN = 2;
export const MAX_TILE = 16;
/** A rule of a style sheet that is matched against an element. */
export const RULE = 0.00005;

/** A filter, for any steps: the filtered element is drawn to a separate surface. */
export const FILTER = 2;
/** The minimum for a filter, for each of its steps, and for a layer, a mask or clip, and a pattern. */
export const FILTER_ALONE = 0.25;
export const STEP_ALONE = 0.02;
export const LAYER_ALONE = 0.05;
export const CLIP_ALONE = 0.1;
export const PATTERN_ALONE = 0.1;
/** The steps of a filter; those neither here nor below cost `PLAIN_STEP`. */
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
/** A blur, for its output: the blurred area and a margin of its distance, up to this many sides of the picture. */
export const BLUR = 8;
export const BLUR_MARGIN = 0.9;
/** The factor for a blur of blurred input. */
export const BLUR_AGAIN = 3;
/** The price of a shadow in addition to its blur. */
export const SHADOW = 6;
/** A blend with a mode other than `normal`. */
export const MODE = 4;
/** An octave of noise. */
export const OCTAVE = 6;
/** An `feMorphology`, and for each pixel of its radius in a picture of 512. */
export const MORPHOLOGY = 14;
export const SPREAD = 5;
/** For each number of the matrix of an `feConvolveMatrix`. */
export const CONVOLVED = 10;
