import {
  BLUR,
  BLUR_AGAIN,
  BLUR_PIXEL,
  CONVOLVED,
  FILTER,
  MAX_BLUR,
  MAX_COST,
  MODE,
  MORPHOLOGY,
  OCTAVE,
  PLAIN_STEP,
  SHADOW,
  SPREAD,
  STEPS,
} from './prices.ts';

/** What a filter costs over the whole picture, and how far it looks beyond a point, in sides of the picture. */
export type FilterCost = { readonly cost: number; readonly reach: number };

/** More than any picture may cost, where there is no telling. */
const TOO_DEAR: FilterCost = { cost: 10 * MAX_COST, reach: 0 };

/** A step of a filter as it is written. */
export type Step = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** `in` of each `feMergeNode`. */
  readonly merged: readonly (string | undefined)[];
};

/** Pixels of the picture that prices are for. */
const SIDE = 512;

const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/gi;
/** A tile is made whole, wherever it lies: as good as all of the region of its filter. */
const TILE_REACH = 10;
/** A blur looks this many deviations far. */
const DEVIATIONS = 3;
/** Inputs that no step makes; any other name that is not known is one of them, too. */
const TWO_INPUTS: ReadonlySet<string> = new Set(['feBlend', 'feComposite', 'feDisplacementMap']);

function largest(text: string | undefined): number {
  return Math.max(0, ...(text?.slice(0, 100).match(NUMBER) ?? []).map((number) => Math.abs(Number(number))));
}

/** How far one step looks, in sides of the picture. */
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

/** What a blur costs that looks so far, in sides of the picture. */
const priceOfBlur = (distance: number): number =>
  Math.min(MAX_BLUR, BLUR + (BLUR_PIXEL * SIDE * distance) / DEVIATIONS);

function priceOf({ name, attributes }: Step, distance: number): number {
  switch (name) {
    case 'feGaussianBlur':
      return priceOfBlur(distance);
    case 'feDropShadow':
      return priceOfBlur(distance) + SHADOW;
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

/** The steps that each step takes its input from. What is taken twice is made twice. */
function inputsOf(steps: readonly Step[]): number[][] {
  const named = new Map<string, number>();
  return steps.map(({ name, attributes, merged }, index) => {
    const find = (input: string | undefined): number[] => {
      if (input === undefined || input === '') return index > 0 ? [index - 1] : [];
      const at = named.get(input);
      return at === undefined ? [] : [at];
    };
    const inputs = [attributes.in, ...(TWO_INPUTS.has(name) ? [attributes.in2] : []), ...merged].flatMap(
      find,
    );
    // It draws what it casts a shadow of, too.
    const all = name === 'feDropShadow' ? [...inputs, ...inputs] : inputs;
    if (attributes.result !== undefined) named.set(attributes.result, index);
    return all;
  });
}

const BLURS: ReadonlySet<string> = new Set(['feGaussianBlur', 'feDropShadow']);

/** Prices of all steps, by what comes before each. */
function pricesOf(
  steps: readonly Step[],
  inputs: readonly (readonly number[])[],
  distances: readonly number[],
): number[] {
  const blurred: boolean[] = [];
  return steps.map((step, index) => {
    const again = (inputs[index] ?? []).some((input) => blurred[input] === true);
    const isBlur = BLURS.has(step.name);
    blurred.push(again || isBlur);
    return priceOf(step, distances[index] ?? 0) * (again && isBlur ? BLUR_AGAIN : 1);
  });
}

/** How far the last step looks through all before it. */
function reachOf(inputs: readonly (readonly number[])[], distances: readonly number[]): number {
  const reaches: number[] = [];
  for (const [index, distance] of distances.entries())
    reaches.push(distance + Math.max(0, ...(inputs[index] ?? []).map((input) => reaches[input] ?? 0)));
  return reaches.at(-1) ?? 0;
}

/**
 * What the steps of a filter cost over all of its region, to which a browser cuts each of them. A step asks those before it
 * for what it needs, so that one that is used twice is made twice.
 * @param unit one unit of the filter in sides of the picture
 */
export function costOfSteps(steps: readonly Step[], unit: number): FilterCost {
  const inputs = inputsOf(steps);
  const distances = steps.map((step) => distanceOf(step, unit));
  const reach = reachOf(inputs, distances);
  const prices = pricesOf(steps, inputs, distances);
  let cost = FILTER;
  const pending = steps.length === 0 ? [] : [steps.length - 1];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    cost += prices[index] ?? 0;
    if (cost > TOO_DEAR.cost || !Number.isFinite(cost)) return TOO_DEAR;
    pending.push(...(inputs[index] ?? []));
  }
  return Number.isFinite(reach) ? { cost, reach } : TOO_DEAR;
}

/** The region of a filter: parts of the box of what it is about, or units of the drawing (Filter Effects 1 section 8). */
export type Region = { readonly width: number; readonly height: number; readonly isPart: boolean };

export function regionOf({ filterUnits, width, height }: Step['attributes']): Region {
  const isPart = filterUnits !== 'userSpaceOnUse';
  // Percentages of the drawing, and what is no number, may be all of it.
  const side = (text: string | undefined): number => {
    if (text === undefined) return isPart ? 1.2 : Number.POSITIVE_INFINITY;
    const isShare = isPart && text.endsWith('%');
    const number = Number(isShare ? text.slice(0, -1) : text);
    return Number.isNaN(number) ? Number.POSITIVE_INFINITY : Math.max(0, isShare ? number / 100 : number);
  };
  return { width: side(width), height: side(height), isPart };
}

/** A function of the property `filter`, up to its parenthesis; colours within it are not. */
const FUNCTION =
  /(?:^|[^-\w])(blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia)\(/gi;
/** A number with what stands behind it. */
const LENGTH = /([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)([a-z%]*)/gi;
const COLOUR = /#[\da-f]{1,8}|(?:rgb|hsl)a?\([^()]*\)/gi;
/** Longest value of `filter` that is looked at. */
const MAX_FILTER = 2_000;

/** How far a function looks; lengths that are not in pixels are taken for the side of the picture. */
function distanceIn(inside: string, unit: number): number {
  const lengths = [...inside.replace(COLOUR, ' ').matchAll(LENGTH)];
  const sides = lengths.map(([, number, name = '']) =>
    name === 'px' || Number(number) === 0 ? Math.abs(Number(number)) * unit : 1,
  );
  return (DEVIATIONS + 1) * Math.max(/calc|var|max|min|clamp/i.test(inside) ? 1 : 0, ...sides);
}

/** What the functions in a value of `filter` cost, one behind the other. */
export function costOfFunctions(value: string, unit: number): FilterCost {
  if (value.length > MAX_FILTER || /inherit|var/i.test(value)) return TOO_DEAR;
  const calls = [...value.matchAll(FUNCTION)];
  let [cost, reach] = [0, 0];
  for (const [index, { 1: name = '', index: start }] of calls.entries()) {
    const function_ = name.toLowerCase();
    const inside = value.slice(start + name.length, calls[index + 1]?.index);
    const isShadow = function_ === 'drop-shadow';
    const further = isShadow || function_ === 'blur' ? distanceIn(inside, unit) : 0;
    const price = further > 0 ? priceOfBlur(further) : PLAIN_STEP;
    // What lies before is made for a larger area, and for a shadow twice.
    cost = cost * (1 + 2 * further) ** 2 * (isShadow ? 2 : 1) + FILTER + price + (isShadow ? SHADOW : 0);
    reach += further;
  }
  return Number.isFinite(cost) && Number.isFinite(reach)
    ? { cost: Math.min(cost, TOO_DEAR.cost), reach }
    : TOO_DEAR;
}
