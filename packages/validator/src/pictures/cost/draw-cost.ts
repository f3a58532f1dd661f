import type { Effect } from '../svg-styles.ts';
import type { Canvas, Extent, Pen, View } from './canvas.ts';
import { BLURS, type Filter, filterOfFunctions, filterOfSteps, regionOf, type Step } from './filters.ts';
import {
  BLEND,
  CLIP,
  CLIP_ALONE,
  ELEMENT,
  LAYER,
  LAYER_ALONE,
  MASK,
  MAX_TILE,
  PATTERN,
  PATTERN_ALONE,
} from './prices.ts';
import type { Shape } from './shape-of.ts';
import { type Matrix, matrixOf, multiply, outset, type Place, placed, scaleOf, union } from './transforms.ts';

/** The parts of an element that determine the cost of drawing it. */
export type CostedElement = {
  readonly name: string;
  readonly shape: Shape;
  /** Its own transform; undefined when it is unknown. */
  readonly own: Matrix | undefined;
  /** Whether its children use the same units. */
  readonly keepsUnits: boolean;
  /** Attributes of a filter, of its steps, and of a pattern. */
  readonly step: Step['attributes'] | undefined;
  readonly children: readonly CostedElement[];
  /** Number of elements inside, including itself, and the number that references add. */
  readonly elements: number;
  readonly added: number;
  /** Effects of its own attributes, and those that style sheets may add. */
  readonly drawn: { readonly effects: readonly Effect[] };
  readonly effects: readonly Effect[];
  readonly uses: Uses;
  readonly bounds: Bounds;
};

/** The references of an element by the way in which they are drawn, and how often it paints with them. */
export type Uses = {
  readonly once: readonly CostedElement[];
  readonly copied: readonly CostedElement[];
  readonly paints: readonly CostedElement[];
  readonly markers: readonly CostedElement[];
  /** Number of points that may have a marker, and of shapes that a pattern may fill. */
  readonly points: number;
  readonly shapes: number;
};
export const NO_USES: Uses = { once: [], copied: [], paints: [], markers: [], points: 0, shapes: 0 };

/** The bounds of an element with its content, in its own units: as filters measure it, as painted, and after its filters. */
export type Bounds = {
  readonly shapes: Place;
  readonly painted: Place;
  readonly filtered: Place;
  /** Whether anything inside is blurred. */
  readonly isBlurred: boolean;
};
export const NO_BOUNDS: Bounds = { shapes: null, painted: null, filtered: null, isBlurred: false };

/** Elements that are drawn only where other elements refer to them. */
const HIDDEN: ReadonlySet<string> = new Set(
  'defs symbol clipPath mask pattern marker filter linearGradient radialGradient'.split(' '),
);

const isFilter = ({ name }: CostedElement): boolean => name === 'filter';
const isShown = ({ name }: CostedElement): boolean => !HIDDEN.has(name);

/** Computes the bounds of an element. Those of its children and of the elements it refers to must be known. */
export function boundsOf(element: CostedElement, canvas: Canvas): Bounds {
  const { shape, uses, keepsUnits } = element;
  const parts = [...element.children.filter(isShown), ...uses.copied];
  const around = (own: Place, of: (bounds: Bounds) => Place): Place =>
    parts.reduce((place, { bounds, own: matrix }) => {
      const part = placed(of(bounds), matrix);
      return union(place, part && !keepsUnits ? undefined : part);
    }, own);
  const own = shape.isShape ? shape.box : null;
  const { strokes, width } = canvas.worstPen;
  const shapes = around(own, (bounds) => bounds.shapes);
  const stroked = own && strokes ? outset(own, width) : own;
  const painted = uses.markers.length > 0 ? undefined : around(stroked, (bounds) => bounds.filtered);
  return {
    shapes,
    painted,
    filtered: filteredPlace(element, shapes, painted),
    isBlurred: parts.some(isBlurred),
  };
}

/** The output of a filter is inside its region. */
function filteredPlace({ uses, effects }: CostedElement, shapes: Place, painted: Place): Place {
  if (effects.some(isFunctions)) return painted === null ? null : undefined;
  const filters = uses.once.filter(isFilter);
  return filters.reduce<Place>((place, { step = {} }) => union(place, regionOf(step, shapes)), painted);
}

const isFunctions = ({ property, value }: Effect): boolean =>
  property === 'filter' && /[a-z]\(|inherit/i.test(value.replace(/url\(/gi, ''));

const areaOf = ({ width, height }: Extent): number => width * height;

/** Estimates the cost of drawing elements in milliseconds: each at its position, and again for each reference to it. */
export class DrawCost {
  readonly #canvas: Canvas;
  readonly #costs = new Map<CostedElement, number>();

  /** @param canvas must be complete */
  constructor(canvas: Canvas) {
    this.#canvas = canvas;
  }

  /** Returns the cost of a whole drawing. */
  totalOf(root: CostedElement): number {
    const canvas = this.#canvas;
    return this.#draw(root, canvas.origin, canvas.view, canvas.firstPen);
  }

  /** Returns the highest cost of an element among all places where it was drawn. */
  costOf(element: CostedElement): number {
    return this.#costs.get(element) ?? 0;
  }

  /** @param around the transform of its parent; undefined when it is unknown */
  #draw(element: CostedElement, around: Matrix | undefined, view: View, pen: Pen): number {
    const matrix = around && element.own && multiply(around, element.own);
    const filters = this.#filtered(element, matrix, view);
    const cost =
      filters.cost +
      this.#layers(element, matrix, view) +
      this.#paint(element, matrix, filters.view, this.#canvas.penFor(element.drawn.effects, pen));
    const known = Number.isFinite(cost) ? cost : Number.MAX_VALUE;
    if (known > this.costOf(element)) this.#costs.set(element, known);
    return known;
  }

  /** The cost of the filters of an element, and the part of it that must be drawn for them. */
  #filtered(element: CostedElement, matrix: Matrix | undefined, view: View): { cost: number; view: View } {
    const { painted } = element.bounds;
    let [cost, inside] = [0, view];
    for (const [filter, region] of filtersOf(element, this.#canvas.unitOf(matrix))) {
      const seen = inside;
      inside = this.#canvas.narrow(seen, filter.reach, placed(region, matrix));
      const [needed, place] = [inside, placed(painted, matrix)];
      const around = (reach: number): Extent => this.#canvas.extentAround(seen, needed, place, reach);
      cost += filter.costOver(needed.most, around, this.#canvas.sizeOf(place));
    }
    return { cost, view: inside };
  }

  /** The cost of layers, masks and clips, which apply to the output of filters. */
  #layers({ uses, effects, bounds }: CostedElement, matrix: Matrix | undefined, view: View): number {
    const place = placed(bounds.filtered, matrix);
    const area = areaOf(this.#canvas.extentIn(view, place));
    let cost = effects.reduce((total, effect) => total + layerOf(effect, area), 0);
    for (const one of uses.once) {
      if (isFilter(one)) continue;
      const isMask = one.name === 'mask';
      cost += CLIP_ALONE + area * (isMask ? MASK : CLIP);
      // A mask is only drawn within the bounds of the masked element.
      const seen = isMask ? this.#canvas.narrow(view, 0, place) : view;
      cost += this.#draw(one, matrix, seen, this.#canvas.worstPen);
    }
    return cost;
  }

  /** The cost of painting an element, its children, and the elements that it refers to. */
  #paint(element: CostedElement, matrix: Matrix | undefined, view: View, pen: Pen): number {
    const { uses, children, keepsUnits } = element;
    const inside = keepsUnits ? matrix : undefined;
    let cost = this.#canvas.paintCost(element.shape, matrix, view, pen);
    for (const child of children)
      cost += isShown(child)
        ? this.#draw(child, inside, view, pen)
        : (child.elements + child.added) * ELEMENT;
    for (const copy of uses.copied) cost += this.#draw(copy, inside, view, pen);
    for (const marker of uses.markers)
      cost += uses.points * this.#draw(marker, undefined, view, this.#canvas.worstPen);
    for (const paint of uses.paints) cost += uses.shapes * this.#pattern(element, paint, matrix, view);
    return cost;
  }

  #pattern(
    { bounds }: CostedElement,
    pattern: CostedElement,
    matrix: Matrix | undefined,
    view: View,
  ): number {
    const canvas = this.#canvas;
    const area = areaOf(canvas.extentIn(view, placed(bounds.filtered, matrix)));
    const tile = tileOf(pattern, canvas.unitOf(matrix), bounds.shapes);
    const whole = { box: view.box, most: tile };
    return (
      PATTERN_ALONE +
      PATTERN * (area + Math.min(MAX_TILE, areaOf(tile))) +
      this.#draw(pattern, undefined, whole, canvas.worstPen)
    );
  }
}

/** Whether an element, its content, or an element that it refers to is blurred. */
const isBlurred = ({ bounds, effects, uses }: CostedElement): boolean =>
  bounds.isBlurred ||
  effects.some((effect) => isFunctions(effect) && /blur|shadow/i.test(effect.value)) ||
  uses.once.some((one) => isFilter(one) && one.children.some(({ name }) => BLURS.has(name)));

/** The size of one tile of a pattern, in sides of the picture. A tile is always drawn completely. */
function tileOf({ step = {}, uses }: CostedElement, unit: number, shapes: Place): Extent {
  const transform = matrixOf(step.patternTransform);
  const isPart = step.patternUnits !== 'userSpaceOnUse';
  // A pattern can inherit the attributes of another pattern.
  const isKnown = uses.copied.length === 0 && transform !== undefined && !(isPart && shapes === undefined);
  const side = (text: string | undefined, whole: number): number => {
    const times = isPart
      ? (text?.endsWith('%') === true ? Number(text.slice(0, -1)) / 100 : Number(text)) * whole
      : Number(text);
    const length = isKnown ? times * unit * scaleOf(transform) : Number.NaN;
    return length >= 0 ? Math.min(length, MAX_TILE) : MAX_TILE ** 0.5;
  };
  return {
    width: side(step.width, shapes ? shapes.right - shapes.left : 0),
    height: side(step.height, shapes ? shapes.bottom - shapes.top : 0),
  };
}

function layerOf({ property, value }: Effect, area: number): number {
  if (property === 'opacity' || property === 'isolation') return LAYER_ALONE + area * LAYER;
  if (property === 'mix-blend-mode') return value === 'normal' ? 0 : LAYER_ALONE + area * BLEND;
  return property === 'clip-path' || property === 'mask' ? CLIP_ALONE + area * CLIP : 0;
}

/** The filters of an element with their regions. */
function filtersOf(
  { uses, effects, bounds: { shapes, isBlurred: was } }: CostedElement,
  unit: number,
): [Filter, Place][] {
  const functions = effects
    .filter(isFunctions)
    .map(({ value }): [Filter, Place] => [filterOfFunctions(value, unit, was), undefined]);
  const referred = uses.once.filter(isFilter).map((filter): [Filter, Place] => {
    const { step = {} } = filter;
    const units = step.primitiveUnits === 'objectBoundingBox' ? 1 : unit;
    return [filterOfSteps(stepsOf(filter), units, was), regionOf(step, shapes)];
  });
  return [...referred, ...functions];
}

function stepsOf({ children }: CostedElement): Step[] {
  return children
    .filter(({ step }) => step !== undefined)
    .map(({ name, step = {}, children: inside }) => ({
      name,
      attributes: step,
      merged: inside.filter((one) => one.name === 'feMergeNode').map((one) => one.step?.in),
    }));
}
