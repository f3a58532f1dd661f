import type { SaxesTagNS } from 'saxes';
import { type Outline, outlineOfPath, outlineOfPoints } from './outlines.ts';
import { type Box, IDENTITY, type Matrix, matrixOf, multiply } from './transforms.ts';

const SHAPES: ReadonlySet<string> = new Set(
  'path rect circle ellipse line polyline polygon text tspan textPath'.split(' '),
);
const OUTLINED: ReadonlySet<string> = new Set(['path', 'polyline', 'polygon']);
/** Drawn where something refers to them, in units of that. */
const PLACED_BY_USE: ReadonlySet<string> = new Set(['mask', 'filter', 'marker', 'pattern']);
/** Inside of these, other units hold. */
const NEW_UNITS: ReadonlySet<string> = new Set(['svg', 'symbol', 'pattern', 'marker']);

/** Attributes by which what is inside takes the size of what it is used for. */
const UNITS = ['clipPathUnits', 'maskContentUnits', 'patternContentUnits'] as const;

/** Attributes by name, in as far as they have no namespace. */
type Values = Readonly<Record<string, string | undefined>>;

const plain = (text: string | undefined): number => (text === undefined ? 0 : Number(text));

function boxOfRound(values: Values, rx: number, ry: number): Box {
  const [x, y] = [plain(values.cx), plain(values.cy)];
  return { left: x - rx, top: y - ry, right: x + rx, bottom: y + ry };
}

/** The outline of a shape that writes its points. */
function outlineOf(name: string, values: Values): Outline | undefined {
  if (name === 'path') return outlineOfPath(values.d ?? '');
  return name === 'polyline' || name === 'polygon' ? outlineOfPoints(values.points ?? '') : undefined;
}

/** Where another shape lies in its own units, by its attributes; undefined when these leave it open. */
function boxOf(name: string, values: Values): Box | undefined {
  switch (name) {
    case 'rect': {
      const [left, top] = [plain(values.x), plain(values.y)];
      return { left, top, right: left + plain(values.width), bottom: top + plain(values.height) };
    }
    case 'circle':
      return boxOfRound(values, plain(values.r), plain(values.r));
    case 'ellipse':
      return boxOfRound(values, plain(values.rx), plain(values.ry));
    case 'line': {
      const [xs, ys] = [
        [plain(values.x1), plain(values.x2)],
        [plain(values.y1), plain(values.y2)],
      ];
      return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    }
    default:
      return undefined;
  }
}

const hasOwnUnits = (local: string, values: Values): boolean =>
  NEW_UNITS.has(local) || UNITS.some((name) => values[name] === 'objectBoundingBox');

/** What an element draws itself, and where that lies. */
export type Shape = {
  readonly isShape: boolean;
  /** In its own units; undefined when it is unknown. */
  readonly box: Box | undefined;
  readonly points: number;
  /** Edges of an outline that is written; others are plain. */
  readonly edges: number;
  /** How far its outline goes across and down at most, in its own units. */
  readonly across: number;
  readonly down: number;
  readonly letters: number;
};

/** An element's shape, its own transform, and whether its units hold for what is inside. */
export type Placed = {
  readonly shape: Shape;
  /** Undefined when it is unknown. */
  readonly own: Matrix | undefined;
  readonly keepsUnits: boolean;
};

/**
 * Reads where an element lies.
 * @param moved whether a style moves or sizes it
 * @param points the points of its outline at most
 */
export function placeElement({ local, attributes }: SaxesTagNS, moved: boolean, points: number): Placed {
  const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
  const isShape = SHAPES.has(local);
  const outline = isShape && !moved ? outlineOf(local, values) : undefined;
  const box = !isShape || moved ? undefined : outline === undefined ? boxOf(local, values) : outline.box;
  const shape = {
    isShape,
    box: box !== undefined && Object.values(box).every(Number.isFinite) ? box : undefined,
    points,
    edges: OUTLINED.has(local) ? points : 0,
    across: outline?.across ?? Number.POSITIVE_INFINITY,
    down: outline?.down ?? Number.POSITIVE_INFINITY,
    letters: 0,
  };
  return { shape, own: ownMatrix(local, values, moved), keepsUnits: !hasOwnUnits(local, values) };
}

function ownMatrix(local: string, values: Values, moved: boolean): Matrix | undefined {
  if (moved || values['transform-origin'] !== undefined) return undefined;
  // No transform applies to them as attributes (SVG 2 section 8.5).
  if (PLACED_BY_USE.has(local)) return IDENTITY;
  const own = matrixOf(values.transform);
  if (local !== 'use') return own;
  const [x, y] = [plain(values.x), plain(values.y)];
  return own && Number.isFinite(x + y) ? multiply(own, [1, 0, 0, 1, x, y]) : undefined;
}
