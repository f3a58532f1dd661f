import type { SaxesTagNS } from 'saxes';
import type { Canvas, Shape } from './canvas.ts';
import { type Outline, outlineOfPath, outlineOfPoints } from './outlines.ts';
import { type Box, IDENTITY, type Matrix, matrixOf, multiply, scaleOf, transformed } from './transforms.ts';

const SHAPES: ReadonlySet<string> = new Set(
  'path rect circle ellipse line polyline polygon text tspan textPath'.split(' '),
);
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

const growthOf = (own: Matrix | undefined): number | undefined => own && scaleOf(own);

const hasOwnUnits = (local: string, values: Values): boolean =>
  NEW_UNITS.has(local) || UNITS.some((name) => values[name] === 'objectBoundingBox');

/** The shape of an element, the transform that holds inside of it, and how many times larger it makes things. */
export type Placed = {
  readonly shape: Shape;
  readonly inside: Matrix | undefined;
  readonly growth: number | undefined;
};

/**
 * Reads where an element lies.
 * @param around the transform of the element around it; undefined when it is not known
 * @param moved whether a style moves or sizes it
 * @param points the points of its outline at most
 * @param stroked whether it or what is around it asks for a stroke
 */
export function placeElement(
  { local, attributes }: SaxesTagNS,
  around: Matrix | undefined,
  moved: boolean,
  points: number,
  stroked: boolean,
): Placed {
  const values = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
  const isOpen = moved || around === undefined || values['transform-origin'] !== undefined;
  const own = isOpen ? undefined : matrixOf(values.transform);
  const matrix = own === undefined ? undefined : multiply(around ?? IDENTITY, own);
  const isShape = SHAPES.has(local);
  const outline = isShape ? outlineOf(local, values) : undefined;
  const box = matrix === undefined || !isShape ? undefined : outline ? outline.box : boxOf(local, values);
  const isKnown = box !== undefined && Object.values(box).every(Number.isFinite);
  const shape = {
    isShape,
    box: isKnown && matrix !== undefined ? transformed(box, matrix) : undefined,
    scale: matrix === undefined ? undefined : scaleOf(matrix),
    points,
    edges: outline === undefined ? 0 : points,
    length: outline?.length,
    letters: 0,
    stroked,
  };
  if (hasOwnUnits(local, values)) return { shape, inside: undefined, growth: undefined };
  return { shape, inside: matrix, growth: growthOf(own) };
}

/** Tells a canvas the picture's own rectangle, by the attributes of its root, unless these leave it open. */
export function openCanvas(canvas: Canvas, { attributes }: SaxesTagNS): void {
  const { viewBox, width, height, preserveAspectRatio } = attributes;
  if (/slice/i.test(preserveAspectRatio?.value ?? '')) return;
  const across = Number.parseFloat(width?.value ?? '');
  const down = Number.parseFloat(height?.value ?? '');
  const [left = 0, top = 0, wide = Number.NaN, high = Number.NaN] =
    viewBox === undefined
      ? [0, 0, across, down]
      : viewBox.value
          .trim()
          .slice(0, 200)
          .split(/[\s,]+/)
          .map(Number);
  const stretch = Math.max(1, across / down || 1, down / across || 1);
  canvas.open({ left, top, right: left + wide, bottom: top + high }, stretch);
}
