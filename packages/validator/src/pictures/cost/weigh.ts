import type { Effect } from '../svg-styles.ts';
import { ALL, type Canvas, type Shape, type Share, UNBOUNDED } from './canvas.ts';
import {
  costOfFunctions,
  costOfSteps,
  type FilterCost,
  type Region,
  regionOf,
  type Step,
} from './filters.ts';
import { BLEND, CLIP, ELEMENT, LAYER, MASK, PATTERN } from './prices.ts';
import type { Box } from './transforms.ts';

/** What is drawn for an element with all inside, in milliseconds. */
export type Cost = {
  /** Where it stands. */
  readonly part: number;
  /** Anywhere else and in any size, as for a copy. */
  readonly whole: number;
  /** Where all of it lies: null when nothing is drawn, undefined when it is unknown. */
  readonly box: Box | null | undefined;
};
export const NO_COST: Cost = { part: 0, whole: 0, box: null };

/** An element as far as it is weighed; what it needs has been weighed before. */
export type Weighed = {
  readonly name: string;
  readonly shape: Shape;
  readonly step: Step['attributes'] | undefined;
  readonly children: readonly Weighed[];
  readonly written: number;
  readonly added: number;
  readonly cost: Cost;
};

/** What an element refers to, by how it is drawn for it, and how often it paints with it. */
export type Uses = {
  readonly once: readonly Weighed[];
  readonly copied: readonly Weighed[];
  readonly paints: readonly Weighed[];
  readonly markers: readonly Weighed[];
  /** Points at which a marker may stand, and shapes that a pattern may fill. */
  readonly points: number;
  readonly shapes: number;
};

/** A filter where it is used; without a region it is worked out for all of the picture. */
type Placed = FilterCost & { readonly region: Region | undefined; readonly unit: number };

/** Drawn only for what refers to them. */
const HIDDEN: ReadonlySet<string> = new Set(
  'defs symbol clipPath mask pattern marker filter linearGradient radialGradient'.split(' '),
);

const wholeOf = ({ cost }: Weighed): number => cost.whole;
const partOf = ({ cost }: Weighed): number => cost.part;
const sum = (items: readonly Weighed[], of: (item: Weighed) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Adds up what it costs to draw an element. */
export function weigh(element: Weighed, uses: Uses, effects: readonly Effect[], canvas: Canvas): Cost {
  const shown = element.children.filter(({ name }) => !HIDDEN.has(name));
  const hidden = sum(element.children, ({ name, written, added }) =>
    HIDDEN.has(name) ? (written + added) * ELEMENT : 0,
  );
  const box = uses.copied.length > 0 ? undefined : boxAround(element.shape, shown);
  const anywhere =
    hidden +
    sum(uses.copied, wholeOf) +
    uses.points * sum(uses.markers, wholeOf) +
    uses.shapes * sum(uses.paints, (one) => PATTERN + wholeOf(one));
  const filters = filtersOf(element, uses, effects, canvas);
  const part = layered(filters, box, effects, uses, canvas, {
    inside: canvas.paintCost(element.shape) + sum(shown, partOf) + anywhere,
    once: sum(uses.once, partOf),
    isPart: true,
  });
  const whole = layered(filters, undefined, effects, uses, canvas, {
    inside: canvas.paintCost(canvas.copyOf(element.shape), ALL) + sum(shown, wholeOf) + anywhere,
    once: sum(uses.once, wholeOf),
    isPart: false,
  });
  return { part, whole, box: filters.length > 0 && box !== null ? undefined : box };
}

/** What filters, masks and layers add to what they are about. */
function layered(
  filters: readonly Placed[],
  box: Cost['box'],
  effects: readonly Effect[],
  uses: Uses,
  canvas: Canvas,
  { inside, once, isPart }: { inside: number; once: number; isPart: boolean },
): number {
  const area = areaOf(shareIn(canvas, box, 0));
  let cost =
    inside +
    once +
    area * (layersOf(effects) + sum(uses.once, ({ name }) => (name === 'mask' ? MASK : CLIP)));
  for (const filter of filters) {
    const seen = areaSeen(filter, isPart ? extentIn(canvas, box) : UNBOUNDED);
    // What lies inside is drawn as far as the filter looks beyond the picture.
    cost = cost * Math.max(1, seen) + filter.cost * seen;
  }
  return Number.isFinite(cost) ? cost : Number.MAX_VALUE;
}

const areaOf = ({ width, height }: Share): number => width * height;

function shareIn(canvas: Canvas, box: Cost['box'], around: number): Share {
  if (box === null) return { width: 0, height: 0 };
  return canvas.shareOf(
    { isShape: false, box, scale: undefined, points: 0, edges: 0, length: 0, letters: 0, stroked: false },
    around,
  );
}

const extentIn = (canvas: Canvas, box: Cost['box']): Share =>
  box === null ? { width: 0, height: 0 } : canvas.extentOf(box);

function boxAround({ isShape, box }: Shape, shown: readonly Weighed[]): Cost['box'] {
  let around: Box | null = null;
  const boxes = [...(isShape ? [box] : []), ...shown.map(({ cost }) => cost.box)];
  for (const one of boxes) {
    if (one === undefined) return undefined;
    if (one === null) continue;
    around = around === null ? one : union(around, one);
  }
  return around;
}

function union(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

function layersOf(effects: readonly Effect[]): number {
  return effects.reduce((total, { property, value }) => {
    if (property === 'opacity' || property === 'isolation') return total + LAYER;
    if (property === 'mix-blend-mode') return total + (value === 'normal' ? 0 : BLEND);
    return property === 'clip-path' || property === 'mask' ? total + CLIP : total;
  }, 0);
}

/**
 * The area that a filter is worked out for, in areas of the picture: what can be seen with all that its steps look at around
 * it, within its region.
 */
function areaSeen({ region, unit, reach }: Placed, own: Share): number {
  if (region === undefined) return (1 + 2 * reach) ** 2;
  const by = region.isPart ? own : { width: unit, height: unit };
  const seen = (length: number, times: number): number =>
    length === 0 || times === 0 ? 0 : Math.min(1 + 2 * reach, length * times);
  return seen(by.width, region.width) * seen(by.height, region.height);
}

function filtersOf({ shape }: Weighed, { once }: Uses, effects: readonly Effect[], canvas: Canvas): Placed[] {
  const unit = canvas.unitOf(shape);
  const functions: Placed[] = effects
    .filter(
      ({ property, value }) => property === 'filter' && /[a-z]\(|inherit/i.test(value.replace(/url\(/gi, '')),
    )
    .map(({ value }) => ({ ...costOfFunctions(value, unit), region: undefined, unit }));
  const referred: Placed[] = once
    .filter(({ name }) => name === 'filter')
    .map((filter) => {
      const { step = {} } = filter;
      const cost = costOfSteps(stepsOf(filter), step.primitiveUnits === 'objectBoundingBox' ? 1 : unit);
      return { ...cost, region: regionOf(step), unit };
    });
  return [...referred, ...functions];
}

function stepsOf({ children }: Weighed): Step[] {
  return children
    .filter(({ step }) => step !== undefined)
    .map(({ name, step = {}, children: inside }) => ({
      name,
      attributes: step,
      merged: inside.filter((one) => one.name === 'feMergeNode').map((one) => one.step?.in),
    }));
}
