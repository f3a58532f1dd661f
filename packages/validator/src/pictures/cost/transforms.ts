/** A transform of the plane, as `matrix(a b c d e f)` writes it. */
export type Matrix = readonly [number, number, number, number, number, number];
export type Box = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};
/** The bounds of content: null when nothing is drawn, undefined when they are unknown and may be the whole picture. */
export type Place = Box | null | undefined;

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const FUNCTION = /(?<![a-z])([a-z]+)\s*\(([^()]*)\)/gi;
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/gi;
/** Maximum number of functions in one `transform`; with more, the transform is unknown. */
const MAX_FUNCTIONS = 100;

/** The transform of an attribute; undefined when it is unknown. */
export function matrixOf(text: string | undefined): Matrix | undefined {
  if (text === undefined || text.trim() === '') return IDENTITY;
  const calls = [...text.matchAll(FUNCTION)];
  if (calls.length === 0 || calls.length > MAX_FUNCTIONS) return undefined;
  let matrix: Matrix | undefined = IDENTITY;
  for (const [, name = '', numbers = ''] of calls) {
    const next = one(name.toLowerCase(), (numbers.match(NUMBER) ?? []).map(Number), numbers);
    matrix = next === undefined ? undefined : multiply(matrix, next);
    if (matrix === undefined) return undefined;
  }
  return matrix.every(Number.isFinite) ? matrix : undefined;
}

function one(name: string, numbers: readonly number[], text: string): Matrix | undefined {
  // Units (deg, %, em) occur only in CSS, where the cost is estimated for the whole image.
  if (/[a-df-z%]/i.test(text)) return undefined;
  const [a = 0, b, c, d = 0, e = 0, f = 0] = numbers;
  const angle = (a * Math.PI) / 180;
  switch (name) {
    case 'matrix':
      return numbers.length === 6 ? [a, b ?? 0, c ?? 0, d, e, f] : undefined;
    case 'translate':
      return [1, 0, 0, 1, a, b ?? 0];
    case 'scale':
      return [a, 0, 0, b ?? a, 0, 0];
    case 'rotate':
      return rotation(angle, b ?? 0, c ?? 0);
    case 'skewx':
      return [1, 0, Math.tan(angle), 1, 0, 0];
    case 'skewy':
      return [1, Math.tan(angle), 0, 1, 0, 0];
    default:
      return undefined;
  }
}

function rotation(angle: number, x: number, y: number): Matrix {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos, sin, -sin, cos, x - x * cos + y * sin, y - x * sin - y * cos];
}

export function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** The maximum factor by which a line becomes longer: the larger singular value. */
export function scaleOf([a, b, c, d]: Matrix): number {
  const squares = a * a + b * b + c * c + d * d;
  const area = a * d - b * c;
  return Math.sqrt((squares + Math.sqrt(Math.max(0, squares * squares - 4 * area * area))) / 2);
}

/** The smallest axis-aligned rectangle around a transformed one. */
function transformed({ left, top, right, bottom }: Box, [a, b, c, d, e, f]: Matrix): Box {
  const xs = [a * left + c * top, a * right + c * top, a * left + c * bottom, a * right + c * bottom];
  const ys = [b * left + d * top, b * right + d * top, b * left + d * bottom, b * right + d * bottom];
  return {
    left: Math.min(...xs) + e,
    top: Math.min(...ys) + f,
    right: Math.max(...xs) + e,
    bottom: Math.max(...ys) + f,
  };
}

/** A box around both; undefined if one of them is unknown; null is ignored. */
export function union(a: Place, b: Place): Place {
  if (a === undefined || b === undefined) return undefined;
  if (a === null || b === null) return a ?? b;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

export function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

export const outset = ({ left, top, right, bottom }: Box, by: number): Box => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});

/** The bounds after a transform. */
export function placed(place: Place, matrix: Matrix | undefined): Place {
  if (place === null) return null;
  return place === undefined || matrix === undefined ? undefined : transformed(place, matrix);
}
