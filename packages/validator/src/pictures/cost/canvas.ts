import type { Effect } from '../svg-styles.ts';
import {
  DASH,
  ELEMENT,
  EVEN_ODD_EDGES,
  GRADIENT_PAINT,
  HIGH_POINT,
  LETTER,
  MAX_DASHES,
  MAX_EVEN_ODD,
  OUTLINE,
  PLAIN_PAINT,
  POINT,
  SHAPE,
  STROKED,
  THIN_STROKE,
  WIDE_STROKE,
} from './prices.ts';
import type { Shape } from './shape-of.ts';
import {
  type Box,
  IDENTITY,
  intersection,
  type Matrix,
  outset,
  type Place,
  placed,
  scaleOf,
} from './transforms.ts';

/** Width and height, as multiples of the longer side of the picture. */
export type Extent = { readonly width: number; readonly height: number };

/** The visible part of the picture, in its units, and its maximum width and height. */
export type View = { readonly box: Box; readonly most: Extent };

/** How outlines without attributes of their own are painted. */
export type Pen = {
  readonly strokes: boolean;
  /** In units of the element. */
  readonly width: number;
  /** Whether a fill rule other than `nonzero` may apply, with which crossing edges make many spans in a row. */
  readonly evenOdd: boolean;
};

/** Properties that change the position or size given by attributes. */
export const MOVES: ReadonlySet<string> = new Set(
  'transform transform-origin transform-box x y cx cy r rx ry width height'.split(' '),
);

/** The properties of a whole drawing: its size, and the most expensive way in which style sheets may paint any element. */
export class Canvas {
  #view: View = { box: { left: 0, top: 0, right: 1, bottom: 1 }, most: { width: 1, height: 1 } };
  /** The longer side of the picture, in its own units; undefined when it is unknown. */
  #side: number | undefined;
  #gradients = false;
  /** The most expensive combination of all declarations. */
  #pen: Pen = { strokes: false, width: 1, evenOdd: false };
  /** The same for style sheets only, which may apply to any element. */
  #sheets: Pen = { strokes: false, width: 0, evenOdd: false };
  #period = Number.POSITIVE_INFINITY;
  /** Whether style sheets move or resize elements, so that attributes do not determine positions. */
  #moves = false;

  /**
   * @param box the rectangle of the picture
   * @param stretch by what factor the viewport may be wider or higher than the box
   */
  open(box: Box, stretch: number): void {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const side = Math.max(width, height);
    if (!(width > 0 && height > 0 && Number.isFinite(side * stretch))) return;
    this.#side = side;
    // In a viewport of another aspect ratio, content outside the rectangle is visible.
    const [x, y] = [side * stretch - width, side * stretch - height];
    const seen = { left: box.left - x, right: box.right + x, top: box.top - y, bottom: box.bottom + y };
    this.#view = { box: seen, most: { width: 1, height: 1 } };
  }

  /** The initial transform; undefined when the size is unknown or style sheets move elements. */
  get origin(): Matrix | undefined {
    return this.#side === undefined || this.#moves ? undefined : IDENTITY;
  }

  get view(): View {
    return this.#view;
  }

  /** The most expensive pen of all elements, for content that is drawn where other elements refer to it. */
  get worstPen(): Pen {
    return this.#pen;
  }

  noteGradient(): void {
    this.#gradients = true;
  }

  /** @returns whether it moves or sizes the element */
  note(effect: Effect, fromSheet = false): boolean {
    const { property, value } = effect;
    const moves = MOVES.has(property);
    this.#pen = dearer(this.#pen, penOf([effect], this.#pen));
    if (fromSheet) this.#sheets = dearer(this.#sheets, penOf([effect], this.#sheets));
    if (property === 'stroke-dasharray') this.#period = Math.min(this.#period, periodIn(value));
    this.#moves ||= moves && fromSheet;
    return moves;
  }

  /** The pen of an element, from its own declarations, its parent, and style sheets. */
  penFor(own: readonly Effect[], around: Pen): Pen {
    return own.length === 0 ? around : dearer(penOf(own, around), this.#sheets);
  }

  get firstPen(): Pen {
    return dearer({ strokes: false, width: 1, evenOdd: false }, this.#sheets);
  }

  /** One unit of an element in sides of the picture; 1, the whole side, when it is unknown. */
  unitOf(matrix: Matrix | undefined): number {
    return matrix === undefined || this.#side === undefined ? 1 : scaleOf(matrix) / this.#side;
  }

  /** The visible size of content at a place. */
  extentIn({ box, most }: View, place: Place): Extent {
    if (place === null) return { width: 0, height: 0 };
    if (place === undefined || this.#side === undefined) return most;
    const shown = intersection(box, place);
    return {
      width: between((shown.right - shown.left) / this.#side, most.width),
      height: between((shown.bottom - shown.top) / this.#side, most.height),
    };
  }

  /** The size of content at a place, visible or not. */
  sizeOf(place: Place): Extent {
    if (place === null) return { width: 0, height: 0 };
    const [side, unknown] = [this.#side, Number.POSITIVE_INFINITY];
    if (place === undefined || side === undefined) return { width: unknown, height: unknown };
    return { width: (place.right - place.left) / side, height: (place.bottom - place.top) / side };
  }

  /**
   * The size of the area around a place, up to the distance `reach`, that is rendered.
   * @param seen the visible part
   * @param needed the part that must be rendered for it
   */
  extentAround(seen: View, needed: View, place: Place, reach: number): Extent {
    if (!place || this.#side === undefined) return this.extentIn(needed, place);
    const around = outset(place, reach * this.#side);
    const { left, right, top, bottom } = seen.box;
    const whole = this.extentIn(needed, around);
    const cut = this.extentIn(seen, around);
    // If the area ends inside the visible part on one side, half of the excess on the other side is not rendered.
    const across = around.left >= left || around.right <= right;
    const down = around.top >= top || around.bottom <= bottom;
    return {
      width: across ? (whole.width + Math.min(whole.width, cut.width)) / 2 : whole.width,
      height: down ? (whole.height + Math.min(whole.height, cut.height)) / 2 : whole.height,
    };
  }

  /** The part of a view, extended by `reach` sides, that overlaps the place. */
  narrow(view: View, reach: number, place: Place): View {
    const box = outset(view.box, reach * (this.#side ?? 1));
    const most = { width: view.most.width + 2 * reach, height: view.most.height + 2 * reach };
    return { box: place ? intersection(box, place) : box, most: this.extentIn({ box, most }, place) };
  }

  /** The cost of painting an element without its children. */
  paintCost(shape: Shape, matrix: Matrix | undefined, view: View, pen: Pen): number {
    if (!shape.isShape) return ELEMENT;
    const unit = this.unitOf(matrix);
    const stroke = pen.strokes ? pen.width * unit : 0;
    const place = placed(shape.box, matrix);
    const { width, height } = this.extentIn(view, place && outset(place, stroke * (this.#side ?? 1)));
    const paints = (this.#gradients ? GRADIENT_PAINT : PLAIN_PAINT) * (pen.strokes ? 2 : 1);
    // Rows that the edges cross, in heights of the picture: bounded by the number of points and by the length of the outline.
    const high = Math.min(shape.edges * height, this.#rowsOf(shape, matrix));
    const crossed = pen.evenOdd ? Math.min(high / EVEN_ODD_EDGES, MAX_EVEN_ODD) : 0;
    const edges = HIGH_POINT * high * (1 + crossed + (pen.strokes ? strokeRate(stroke) : 0));
    const points = shape.points * POINT * (pen.strokes ? 4 : 1);
    const dashes = pen.strokes ? this.#dashes(shape, place, matrix) : 0;
    const alone = shape.edges > 0 ? OUTLINE : SHAPE;
    return alone + width * height * paints + points + edges + shape.letters * LETTER + dashes;
  }

  #rowsOf({ across, down }: Shape, matrix: Matrix | undefined): number {
    if (matrix === undefined || this.#side === undefined) return Number.POSITIVE_INFINITY;
    const rows = (Math.abs(matrix[1]) * across + Math.abs(matrix[3]) * down) / this.#side;
    return Number.isNaN(rows) ? Number.POSITIVE_INFINITY : rows;
  }

  #dashes({ across, down, points }: Shape, place: Place, matrix: Matrix | undefined): number {
    if (this.#period === Number.POSITIVE_INFINITY) return 0;
    const diagonal = place ? Math.hypot(place.right - place.left, place.bottom - place.top) : this.#side;
    const length = Math.min(
      across + down,
      ((diagonal ?? MAX_DASHES) * points) / (matrix ? scaleOf(matrix) : 1),
    );
    const dashes = length / this.#period;
    return DASH * (Number.isNaN(dashes) ? MAX_DASHES : Math.min(dashes, MAX_DASHES));
  }
}

const between = (length: number, most: number): number => Math.min(most, Math.max(0, length));

/** The rate that a stroke of this width, in sides of the picture, adds to an edge: thin strokes cross fewer edges. */
const strokeRate = (width: number): number => STROKED * Math.min(1, THIN_STROKE + width / WIDE_STROKE);

/** The pen from the declarations of an element. Contradictory declarations give the most expensive one. */
function penOf(own: readonly Effect[], around: Pen): Pen {
  const of = (name: string): string[] =>
    own.filter(({ property }) => property === name).map(({ value }) => value);
  const [strokes, widths] = [of('stroke'), of('stroke-width')];
  const rules = [...of('fill-rule'), ...of('clip-rule')];
  return {
    strokes: strokes.length === 0 ? around.strokes : strokes.some((value) => value !== 'none'),
    width: widths.length === 0 ? around.width : Math.max(...widths.map(lengthIn)),
    evenOdd: rules.length === 0 ? around.evenOdd : rules.some((value) => !/^nonzero$/i.test(value)),
  };
}

const dearer = (a: Pen, b: Pen): Pen => ({
  strokes: a.strokes || b.strokes,
  width: Math.max(a.width, b.width),
  evenOdd: a.evenOdd || b.evenOdd,
});

const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/gi;

/** A length in units of the drawing; a huge value for any other unit. */
function lengthIn(value: string): number {
  const [number] = value.slice(0, 100).match(NUMBER) ?? ['0'];
  return /^[-+.\de]+(?: *px)?$/i.test(value.trim().slice(0, 100)) ? Math.abs(Number(number)) : 1e6;
}

/** The average length of the dashes and gaps of a pattern; Infinity without a pattern. */
function periodIn(value: string): number {
  const numbers = (value.slice(0, 1_000).match(NUMBER) ?? []).map(Number);
  const sum = numbers.reduce((total, number) => total + Math.abs(number), 0);
  return numbers.length === 0 || sum === 0 ? Number.POSITIVE_INFINITY : sum / numbers.length;
}
