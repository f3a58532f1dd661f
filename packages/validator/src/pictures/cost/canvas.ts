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
} from './prices.ts';
import type { Box } from './transforms.ts';

/** Width and height as parts of the picture's; both are 1 for what may cover all of it. */
export type Share = { readonly width: number; readonly height: number };
export const ALL: Share = { width: 1, height: 1 };
export const UNBOUNDED: Share = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };

/** What is known of an element where it stands. */
export type Shape = {
  readonly isShape: boolean;
  /** Where it lies in units of the picture; undefined when it is unknown. */
  readonly box: Box | undefined;
  /** How many units of the picture one of its own becomes at most. */
  readonly scale: number | undefined;
  readonly points: number;
  /** Edges of an outline that is written; others are plain. */
  readonly edges: number;
  /** How long its outline is at most, in its own units; undefined when it is unknown. */
  readonly length: number | undefined;
  readonly letters: number;
  /** Whether its own attributes or those around it ask for a stroke. */
  readonly stroked: boolean;
};

/** How much larger a unit may become where its scale is not known. */
const UNKNOWN_SCALE = 8;
/** Properties that move or size what attributes said. */
export const MOVES: ReadonlySet<string> = new Set(
  'transform transform-origin transform-box x y cx cy r rx ry width height'.split(' '),
);

/** What holds for a whole drawing: its size, and the dearest way in which anything in it is painted. */
export class Canvas {
  /** What can be seen, in units of the picture; undefined when it is unknown. */
  #box: Box | undefined;
  /** The longer side of the picture, in its own units. */
  #side = 16;
  #gradients = false;
  #strokes = false;
  /** Whether anything may be filled by another rule than `nonzero`, by which edges that cross make many spans of a row. */
  #evenOdd = false;
  /** Whether style sheets ask for strokes, which may be about any shape. */
  #strokesAnywhere = false;
  #strokeWidth = 1;
  #period = Number.POSITIVE_INFINITY;
  /** How much larger than its own units say anything can become: no element is part of itself, so each enlarges once at most. */
  #growth = 1;
  /** Whether style sheets move or size anything, so that attributes do not tell where things lie. */
  #moves = false;

  /**
   * @param box the rectangle that the picture is drawn for
   * @param stretch how many times wider or higher than that the place may be where it is drawn
   */
  open(box: Box, stretch: number): void {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const side = Math.max(width, height);
    if (!(width > 0 && height > 0 && Number.isFinite(side * stretch))) return;
    this.#side = side;
    // What lies beside the rectangle is seen where the place has another shape.
    const [x, y] = [side * stretch - width, side * stretch - height];
    this.#box = { left: box.left - x, right: box.right + x, top: box.top - y, bottom: box.bottom + y };
  }

  noteGradient(): void {
    this.#gradients = true;
  }

  /** @param growth how many times larger an element makes what is inside; undefined when it is unknown */
  noteGrowth(growth = Number.POSITIVE_INFINITY): void {
    this.#growth *= Math.max(1, growth);
  }

  /** @returns whether it moves or sizes the element */
  note({ property, value }: Effect, fromSheet = false): boolean {
    if (property === 'stroke') {
      this.#strokes ||= value !== 'none';
      this.#strokesAnywhere ||= fromSheet && value !== 'none';
    }
    if (property === 'fill-rule' || property === 'clip-rule') this.#evenOdd ||= !/^nonzero$/i.test(value);
    if (property === 'stroke-width') this.#strokeWidth = Math.max(this.#strokeWidth, lengthIn(value));
    else if (property === 'stroke-dasharray') this.#period = Math.min(this.#period, periodIn(value));
    const moves = MOVES.has(property);
    this.#moves ||= moves && fromSheet;
    return moves;
  }

  /** One unit of an element in sides of the picture. */
  unitOf({ scale }: Shape): number {
    return (scale ?? UNKNOWN_SCALE) / this.#side;
  }

  /** Width and height of a box in sides of the picture, also of what lies beside it; without bounds when it is unknown. */
  extentOf(box: Box | undefined): Share {
    if (box === undefined || this.#box === undefined || this.#moves) return UNBOUNDED;
    return { width: (box.right - box.left) / this.#side, height: (box.bottom - box.top) / this.#side };
  }

  /** How much of the picture an element may cover, with what is drawn around it. */
  shareOf(shape: Shape, around = 0): Share {
    const [box, canvas] = [shape.box, this.#box];
    if (box === undefined || canvas === undefined || this.#moves) return ALL;
    const side = this.#side;
    const margin = around * side;
    const across = Math.min(box.right + margin, canvas.right) - Math.max(box.left - margin, canvas.left);
    const down = Math.min(box.bottom + margin, canvas.bottom) - Math.max(box.top - margin, canvas.top);
    return { width: partOf(across, side), height: partOf(down, side) };
  }

  /** The shape of an element that is drawn somewhere else, as a copy. */
  copyOf(shape: Shape): Shape {
    const isKnown = Number.isFinite(this.#growth) && !this.#moves;
    return { ...shape, scale: isKnown ? this.#growth : undefined, stroked: true };
  }

  /** What it costs to paint an element by itself. */
  paintCost(shape: Shape, covers?: Share): number {
    if (!shape.isShape) return ELEMENT;
    const unit = this.unitOf(shape);
    const strokes = this.#strokes && (shape.stroked || this.#strokesAnywhere);
    const stroke = strokes ? this.#strokeWidth * unit : 0;
    const { width, height } = covers ?? this.shareOf(shape, stroke);
    const paints = (this.#gradients ? GRADIENT_PAINT : PLAIN_PAINT) * (strokes ? 2 : 1);
    // Rows that its edges go through, in heights of the picture: of as many points as there are, or as long as it is.
    const length = shape.scale === undefined ? undefined : shape.length;
    const high = Math.min(shape.edges * height, (length ?? Number.POSITIVE_INFINITY) * unit);
    const crossed = this.#evenOdd ? Math.min(high / EVEN_ODD_EDGES, MAX_EVEN_ODD) : 0;
    const edges = HIGH_POINT * high * (1 + crossed + (strokes ? STROKED : 0));
    const points = shape.points * POINT * (strokes ? 4 : 1);
    const dashes = strokes ? this.#dashes(shape) : 0;
    const alone = shape.edges > 0 ? OUTLINE : SHAPE;
    return alone + width * height * paints + points + edges + shape.letters * LETTER + dashes;
  }

  #dashes({ box, scale, points, length }: Shape): number {
    if (this.#period === Number.POSITIVE_INFINITY) return 0;
    const across = box === undefined ? this.#side : Math.hypot(box.right - box.left, box.bottom - box.top);
    const dashes = (length ?? (across * points) / (scale ?? 1)) / this.#period;
    return DASH * (Number.isNaN(dashes) ? MAX_DASHES : Math.min(dashes, MAX_DASHES));
  }
}

const partOf = (length: number, side: number): number => Math.min(1, Math.max(0, length / side));

const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/gi;

/** A length in units of the drawing; one in another unit may be anything. */
function lengthIn(value: string): number {
  const [number] = value.slice(0, 100).match(NUMBER) ?? ['0'];
  return /^[-+.\de]+(?: *px)?$/i.test(value.trim().slice(0, 100)) ? Math.abs(Number(number)) : 1e6;
}

/** The length of one round of a dash pattern; at least one of its dashes is no longer. */
function periodIn(value: string): number {
  const numbers = (value.slice(0, 1_000).match(NUMBER) ?? []).map(Number);
  const sum = numbers.reduce((total, number) => total + Math.abs(number), 0);
  return numbers.length === 0 || sum === 0 ? Number.POSITIVE_INFINITY : sum / numbers.length;
}
