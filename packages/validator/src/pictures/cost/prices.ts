/**
 * What it takes Chromium to draw, in milliseconds of one core without a graphics card, for a picture of 512 by 512 pixels.
 * Prices of what covers an area are for the whole picture. Measured, and rounded up; `npm run bench -- pictures` tells what
 * the dearest pictures that pass really take.
 */
export const MAX_COST = 150;

/** An element, however small. */
export const ELEMENT = 0.012;
/** A point of an outline as high as the picture: its edges are looked at in every row. Any point costs a little. */
export const HIGH_POINT = 0.005;
export const POINT = 0.0003;
/** A dash of a dashed line, of which Skia draws a million at most. */
export const DASH = 0.001;
export const MAX_DASHES = 1_000_000;
/** A letter: nobody knows its size here. */
export const LETTER = 0.04;
export const PLAIN_PAINT = 0.12;
export const GRADIENT_PAINT = 0.75;
/** A layer of its own, as for `opacity`; one that is blended by more than its opacity. */
export const LAYER = 0.5;
export const BLEND = 1;
export const CLIP = 0.7;
export const MASK = 2.5;
export const PATTERN = 2;
/** A rule of a style sheet that is held against an element. */
export const RULE = 0.00005;

/** A step of a filter; those not here cost `PLAIN_STEP`. */
export const STEPS: Readonly<Record<string, number>> = {
  feGaussianBlur: 14,
  feDropShadow: 18,
  feMorphology: 5,
  feDiffuseLighting: 25,
  feSpecularLighting: 30,
  feDisplacementMap: 8,
  feTurbulence: 15,
  feOffset: 0.5,
  feFlood: 0.5,
  feColorMatrix: 1.5,
  feBlend: 2.5,
};
export const PLAIN_STEP = 3.5;
/** For each pixel of the radius of an `feMorphology`, in a picture of 512. */
export const SPREAD = 8;
/** For each number of the matrix of an `feConvolveMatrix`. */
export const CONVOLVED = 10;

/** Functions of the property `filter`; those not here cost what a step does. */
export const FILTER_FUNCTIONS: Readonly<Record<string, number>> = { blur: 16, 'drop-shadow': 20 };
