import type { SaxesTagNS } from 'saxes';
import type { Canvas } from './canvas.ts';
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

/** A number with its unit. */
const LENGTH = /^\s*([\d.]+)\s*([a-z%]*)\s*$/i;
/** Side of the place in which a picture without any size is drawn, in its units. */
const PLACE = 512;

/** Tells a canvas the picture's own rectangle, by the attributes of its root, unless these leave it open. */
export function openCanvas(canvas: Canvas, { attributes }: SaxesTagNS): void {
  const { viewBox, width, height, preserveAspectRatio } = attributes;
  if (/slice/i.test(preserveAspectRatio?.value ?? '')) return;
  const [, across = '', wideUnit = ''] = LENGTH.exec(width?.value ?? '') ?? [];
  const [, down = '', highUnit = ''] = LENGTH.exec(height?.value ?? '') ?? [];
  // The shape of a picture of inches by pixels is not told by its numbers.
  if (width !== undefined && height !== undefined && (wideUnit !== highUnit || across === '' || down === ''))
    return;
  const stretch = Math.max(1, Number(across) / Number(down) || 1, Number(down) / Number(across) || 1);
  const box = viewBox === undefined ? boxOfSides(across, down, wideUnit) : boxOfView(viewBox.value);
  if (box !== undefined) canvas.open(box, stretch);
}

/** Without a `viewBox` a pixel is a unit: of the width and the height, or of the place where neither is said. */
function boxOfSides(across: string, down: string, unit: string): Box | undefined {
  if (across === '' && down === '') return { left: 0, top: 0, right: PLACE, bottom: PLACE };
  return /^(?:px)?$/i.test(unit)
    ? { left: 0, top: 0, right: Number(across), bottom: Number(down) }
    : undefined;
}

function boxOfView(text: string): Box {
  const [left = 0, top = 0, wide = Number.NaN, high = Number.NaN] = text
    .trim()
    .slice(0, 200)
    .split(/[\s,]+/)
    .map(Number);
  return { left, top, right: left + wide, bottom: top + high };
}
