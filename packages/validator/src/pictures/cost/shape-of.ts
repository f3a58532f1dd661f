import type { SaxesTagNS } from 'saxes';
import { type Outline, outlineOfPath, outlineOfPoints } from './outlines.ts';
import { type Box, IDENTITY, type Matrix, matrixOf, multiply } from './transforms.ts';

const SHAPES: ReadonlySet<string> = new Set(
  'path rect circle ellipse line polyline polygon text tspan textPath'.split(' '),
);
const OUTLINED: ReadonlySet<string> = new Set(['path', 'polyline', 'polygon']);
/** Drawn where other elements refer to them, in the units of those. */
const PLACED_BY_USE: ReadonlySet<string> = new Set(['mask', 'filter', 'marker', 'pattern']);
/** Elements with new units for their children. */
const NEW_UNITS: ReadonlySet<string> = new Set(['svg', 'symbol', 'pattern', 'marker']);

/** Attributes that can scale the content to the size of the element that uses it. */
const UNITS = ['clipPathUnits', 'maskContentUnits', 'patternContentUnits'] as const;

/** Attributes without a namespace, by name. */
type Values = Readonly<Record<string, string | undefined>>;

const plain = (text: string | undefined): number => (text === undefined ? 0 : Number(text));

function boxOfRound(values: Values, rx: number, ry: number): Box {
  const [x, y] = [plain(values.cx), plain(values.cy)];
  return { left: x - rx, top: y - ry, right: x + rx, bottom: y + ry };
}

/** The outline of a shape that lists its points. */
function outlineOf(name: string, values: Values): Outline | undefined {
  if (name === 'path') return outlineOfPath(values.d ?? '');
  return name === 'polyline' || name === 'polygon' ? outlineOfPoints(values.points ?? '') : undefined;
}

/** The bounds of any other shape in its own units, from its attributes; undefined when these do not determine them. */
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

/** The shape that an element draws, and its bounds. */
export type Shape = {
  readonly isShape: boolean;
  /** In its own units; undefined when it is unknown. */
  readonly box: Box | undefined;
  readonly points: number;
  /** Number of edges of a written outline; 0 for simple shapes. */
  readonly edges: number;
  /** The maximum total horizontal and vertical length of its outline, in its own units. */
  readonly across: number;
  readonly down: number;
  readonly letters: number;
};

/** The shape of an element, its own transform, and whether its children use the same units. */
export type Placed = {
  readonly shape: Shape;
  /** Undefined when it is unknown. */
  readonly own: Matrix | undefined;
  readonly keepsUnits: boolean;
};

/**
 * Reads the position of an element.
 * @param moved whether a style moves or resizes it
 * @param points the maximum number of points of its outline
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
  // The attribute `transform` does not apply to these elements (SVG 2 section 8.5).
  if (PLACED_BY_USE.has(local)) return IDENTITY;
  const own = matrixOf(values.transform);
  if (local !== 'use') return own;
  const [x, y] = [plain(values.x), plain(values.y)];
  return own && Number.isFinite(x + y) ? multiply(own, [1, 0, 0, 1, x, y]) : undefined;
}
