import type { Extent } from './canvas.ts';
import {
  BLUR,
  BLUR_AGAIN,
  BLUR_MARGIN,
  CONVOLVED,
  FILTER,
  FILTER_ALONE,
  MAX_COST,
  MODE,
  MORPHOLOGY,
  OCTAVE,
  PLAIN_STEP,
  SHADOW,
  SPREAD,
  STEP_ALONE,
  STEPS,
} from './prices.ts';
import type { Box, Place } from './transforms.ts';

/** The distance from which a filter reads input, in sides of the picture, and its cost. */
export type Filter = {
  readonly reach: number;
  /**
   * @param region the part of its region that affects visible pixels
   * @param around the part of that within a distance of the element, in sides of the picture; all that bounded steps render
   * @param source the size of the filtered element, also outside the region
   */
  readonly costOver: (region: Extent, around: (reach: number) => Extent, source: Extent) => number;
};

/** A cost above the maximum, for filters whose cost is unknown. */
const TOO_MUCH = 10 * MAX_COST;
const TOO_DEAR: Filter = { reach: 0, costOver: () => TOO_MUCH };

/** A step of a filter (a filter primitive), as written. */
export type Step = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** `in` of each `feMergeNode`. */
  readonly merged: readonly (string | undefined)[];
};

/** Side in pixels of the picture that the prices are for. */
const SIDE = 512;

const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/gi;
/** A tile is always rendered completely, like the whole region of its filter. */
const TILE_REACH = 10;
/** A blur reads input from this many standard deviations away. */
const DEVIATIONS = 3;
/** Steps without input. */
const NO_INPUT: ReadonlySet<string> = new Set(['feFlood', 'feTurbulence']);
const TWO_INPUTS: ReadonlySet<string> = new Set(['feBlend', 'feComposite', 'feDisplacementMap']);

function largest(text: string | undefined): number {
  return Math.max(0, ...(text?.slice(0, 100).match(NUMBER) ?? []).map((number) => Math.abs(Number(number))));
}

/** The distance from which one step reads input, in sides of the picture. */
function distanceOf({ name, attributes }: Step, unit: number): number {
  return name === 'feTile' ? TILE_REACH : unit * lengthOf(name, attributes);
}

function lengthOf(name: string, attributes: Step['attributes']): number {
  const { stdDeviation, radius, dx, dy, scale, order } = attributes;
  const moved = name === 'feDropShadow' ? '2' : '0';
  const offset = Math.max(largest(dx ?? moved), largest(dy ?? moved));
  switch (name) {
    case 'feGaussianBlur':
      return DEVIATIONS * largest(stdDeviation);
    case 'feDropShadow':
      return DEVIATIONS * largest(stdDeviation ?? '2') + offset;
    case 'feMorphology':
      return largest(radius);
    case 'feOffset':
      return offset;
    case 'feDisplacementMap':
      return largest(scale);
    case 'feConvolveMatrix':
      return largest(order ?? '3');
    default:
      return 0;
  }
}

const priceOfBlur = (isShadow: boolean, wasBlurred: boolean): number =>
  (BLUR + (isShadow ? SHADOW : 0)) * (wasBlurred ? BLUR_AGAIN : 1);

/** The price of a step that does not blur, for an area of one picture. */
function priceOf({ name, attributes }: Step, distance: number): number {
  switch (name) {
    case 'feMorphology':
      return MORPHOLOGY + SPREAD * SIDE * distance;
    case 'feConvolveMatrix':
      return CONVOLVED * Math.max(9, largest(attributes.order ?? '3') ** 2);
    case 'feTurbulence':
      return OCTAVE * Math.max(1, largest(attributes.numOctaves));
    case 'feBlend':
      return (attributes.mode ?? 'normal') === 'normal' ? (STEPS.feBlend ?? PLAIN_STEP) : MODE;
    default:
      return STEPS[name] ?? PLAIN_STEP;
  }
}

/** Steps whose output is empty where their input is empty. */
const BOUNDED: ReadonlySet<string> = new Set(
  'feGaussianBlur feDropShadow feOffset feMorphology feMerge feBlend'.split(' '),
);

/** The input steps of each step. An input that is used twice is rendered twice. */
function inputsOf(steps: readonly Step[]): number[][] {
  const named = new Map<string, number>();
  return steps.map(({ name, attributes, merged }, index) => {
    // Inputs that are not the result of a step: the filtered element, or an unknown name.
    const find = (input: string | undefined): number[] => {
      if (input === undefined || input === '') return index > 0 ? [index - 1] : [];
      const at = named.get(input);
      return at === undefined ? [] : [at];
    };
    const names = [attributes.in, ...(TWO_INPUTS.has(name) ? [attributes.in2] : []), ...merged];
    const inputs = NO_INPUT.has(name) ? [] : names.flatMap(find);
    // A shadow also draws its input.
    const all = name === 'feDropShadow' ? [...inputs, ...inputs] : inputs;
    if (attributes.result !== undefined) named.set(attributes.result, index);
    return all;
  });
}

export const BLURS: ReadonlySet<string> = new Set(['feGaussianBlur', 'feDropShadow']);

/** The properties of a step that do not depend on the filtered element. */
type Pass = {
  readonly inputs: readonly number[];
  /** The distance from which it reads input, through all previous steps. */
  readonly reach: number;
  readonly isBounded: boolean;
  readonly price: number;
  /** The margin that a blur adds around its input. */
  readonly margin: number;
};

function passesOf(steps: readonly Step[], unit: number, wasBlurred: boolean): Pass[] {
  const passes: Pass[] = [];
  const blurred: boolean[] = [];
  for (const [index, inputs] of inputsOf(steps).entries()) {
    const step = steps[index] as Step;
    const distance = distanceOf(step, unit);
    const before = inputs.flatMap((input) => passes[input] ?? []);
    const again = wasBlurred || inputs.some((input) => blurred[input] === true);
    const isBlur = BLURS.has(step.name);
    blurred.push(again || isBlur);
    passes.push({
      inputs,
      reach: distance + Math.max(0, ...before.map(({ reach }) => reach)),
      isBounded: BOUNDED.has(step.name) && before.every(({ isBounded }) => isBounded),
      price: isBlur ? priceOfBlur(step.name === 'feDropShadow', again) : priceOf(step, distance),
      margin: isBlur ? Math.min(distance, BLUR_MARGIN) : 0,
    });
  }
  return passes;
}

/** @param made the size that is needed of its output */
function costOfPass({ price, margin, reach, isBounded }: Pass, made: Extent, source: Extent): number {
  // A blur reads its full distance, even if the region of the filter cuts its output.
  const length = (needed: number, whole: number): number => {
    const read = isBounded ? whole + 2 * (reach - margin) : needed;
    return Math.max(needed, Math.min(read, needed + 2 * margin)) + 2 * margin;
  };
  if (margin === 0) return price * made.width * made.height;
  return price * length(made.width, source.width) * length(made.height, source.height);
}

/** The cost of passes. Each pass renders its inputs again, so an input that is used twice costs twice. */
function filterOfPasses(passes: readonly Pass[]): Filter {
  const reach = passes.at(-1)?.reach ?? 0;
  if (!Number.isFinite(reach)) return TOO_DEAR;
  const costOver: Filter['costOver'] = (region, around, source) => {
    const costs = passes.map((pass) =>
      costOfPass(pass, pass.isBounded ? around(pass.reach) : region, source),
    );
    const { width, height } = around(0);
    let cost = FILTER_ALONE + FILTER * width * height;
    const pending = passes.length === 0 ? [] : [passes.length - 1];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      cost += (costs[index] ?? 0) + STEP_ALONE;
      if (cost > TOO_MUCH || !Number.isFinite(cost)) return TOO_MUCH;
      pending.push(...(passes[index]?.inputs ?? []));
    }
    return cost;
  };
  return { reach, costOver };
}

/**
 * @param unit one unit of the filter in sides of the picture
 * @param wasBlurred whether another filter already blurred the element
 */
export const filterOfSteps = (steps: readonly Step[], unit: number, wasBlurred: boolean): Filter =>
  filterOfPasses(passesOf(steps, unit, wasBlurred));

/**
 * The region of a filter (Filter Effects 1 section 8) in units of the filtered element.
 * @param place the bounds of that element
 */
export function regionOf({ filterUnits, ...sides }: Step['attributes'], place: Place): Place {
  const isPart = filterUnits !== 'userSpaceOnUse';
  if (isPart && !place) return place;
  const [left, top, width, height] = (['x', 'y', 'width', 'height'] as const).map((name) => {
    const text = sides[name] ?? (isPart ? PARTS[name] : undefined);
    const isShare = isPart && text?.endsWith('%') === true;
    return isShare ? Number(text?.slice(0, -1)) / 100 : Number(text ?? Number.NaN);
  }) as [number, number, number, number];
  // Percentages of the drawing, and invalid numbers, may cover the whole drawing.
  if (!Number.isFinite(left + top + width + height)) return undefined;
  const region = { left, top, right: left + Math.max(0, width), bottom: top + Math.max(0, height) };
  return isPart && place ? partOf(place, region) : region;
}

/** The default region of a filter. */
const PARTS = { x: '-10%', y: '-10%', width: '120%', height: '120%' } as const;

/** The region relative to a box, at least the whole box: the real box may be smaller, and its parts elsewhere. */
function partOf({ left, top, right, bottom }: Box, part: Box): Box {
  const [width, height] = [right - left, bottom - top];
  return {
    left: left + Math.min(0, part.left) * width,
    top: top + Math.min(0, part.top) * height,
    right: left + Math.max(1, part.right) * width,
    bottom: top + Math.max(1, part.bottom) * height,
  };
}

/** A function of the property `filter`, up to its parenthesis; not the functions of colours inside it. */
const FUNCTION =
  /(?:^|[^-\w])(blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia)\(/gi;
/** A number with its unit. */
const LENGTH = /([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)([a-z%]*)/gi;
const COLOUR = /#[\da-f]{1,8}|(?:rgb|hsl)a?\([^()]*\)/gi;
/** Maximum length of a value of `filter`; a longer one has an unknown cost. */
const MAX_FILTER = 2_000;

/** The distance from which a function reads input; a length that is not in pixels counts as the side of the picture. */
function distanceIn(inside: string, unit: number): number {
  const lengths = [...inside.replace(COLOUR, ' ').matchAll(LENGTH)];
  const sides = lengths.map(([, number, name = '']) =>
    name === 'px' || Number(number) === 0 ? Math.abs(Number(number)) * unit : 1,
  );
  return (DEVIATIONS + 1) * Math.max(/calc|var|max|min|clamp/i.test(inside) ? 1 : 0, ...sides);
}

/** The cost of the functions in a value of `filter`: each is a separate filter on the output of the previous function. */
export function filterOfFunctions(value: string, unit: number, wasBlurred: boolean): Filter {
  if (value.length > MAX_FILTER || /inherit|var/i.test(value)) return TOO_DEAR;
  const calls = [...value.matchAll(FUNCTION)];
  const passes: Pass[] = [];
  let again = wasBlurred;
  for (const [index, { 1: name = '', index: start }] of calls.entries()) {
    const inside = value.slice(start + name.length, calls[index + 1]?.index);
    const isShadow = /^drop-shadow$/i.test(name);
    const isBlur = isShadow || /^blur$/i.test(name);
    const distance = isBlur ? distanceIn(inside, unit) : 0;
    const before = index > 0 ? [index - 1] : [];
    passes.push({
      inputs: isShadow ? [...before, ...before] : before,
      reach: distance + (passes.at(-1)?.reach ?? 0),
      isBounded: true,
      price: FILTER + (isBlur ? priceOfBlur(isShadow, again) : PLAIN_STEP),
      margin: Math.min(distance, BLUR_MARGIN),
    });
    again ||= isBlur;
  }
  return filterOfPasses(passes);
}
