import type { Box } from './transforms.ts';

const NUMBER = /[\s,]*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)/iy;
const FLAG = /[\s,]*([01])/y;
const COMMAND = /[\s,]*([a-z])/iy;
/** Number of arguments of each command. */
const TAKES: Readonly<Record<string, number>> = {
  m: 2,
  l: 2,
  h: 1,
  v: 1,
  c: 6,
  s: 4,
  q: 4,
  t: 2,
  a: 7,
  z: 0,
};

/** The bounds of an outline, and the maximum total horizontal and vertical length of its path, in its own units. */
export type Outline = { readonly box: Box | undefined; readonly across: number; readonly down: number };

/** Bounds around points, with the sum of the distances from each point to the next. */
class Bounds {
  #across = 0;
  #down = 0;
  #lastX: number | undefined;
  #lastY = 0;
  #left = Number.POSITIVE_INFINITY;
  #top = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #bottom = Number.NEGATIVE_INFINITY;

  /** @param curved the maximum length of the path to the point; by default that of a straight line */
  add(x: number, y: number, around = 0, curved?: number): void {
    this.#left = Math.min(this.#left, x - around);
    this.#right = Math.max(this.#right, x + around);
    this.#top = Math.min(this.#top, y - around);
    this.#bottom = Math.max(this.#bottom, y + around);
    this.#across += curved ?? (this.#lastX === undefined ? 0 : Math.abs(x - this.#lastX));
    this.#down += curved ?? (this.#lastX === undefined ? 0 : Math.abs(y - this.#lastY));
    [this.#lastX, this.#lastY] = [x, y];
  }

  get outline(): Outline {
    return { box: this.box, across: this.#across, down: this.#down };
  }

  /** Undefined when a coordinate is not a finite number. */
  get box(): Box | undefined {
    const box = { left: this.#left, top: this.#top, right: this.#right, bottom: this.#bottom };
    if (box.right < box.left) return { left: 0, top: 0, right: 0, bottom: 0 };
    return Object.values(box).every(Number.isFinite) ? box : undefined;
  }
}

/** The outline of a `points` attribute. */
export function outlineOfPoints(text: string): Outline {
  const bounds = new Bounds();
  const numbers = read(text, 0, NUMBER, Number.POSITIVE_INFINITY).numbers;
  for (let at = 0; at + 1 < numbers.length; at += 2) bounds.add(numbers[at] ?? 0, numbers[at + 1] ?? 0);
  return bounds.outline;
}

/** The outline of a path, with bounds around all its points, including control points. No box when it is unknown. */
export function outlineOfPath(text: string): Outline {
  const pen = new Pen();
  for (let at = 0; at < text.length; ) {
    COMMAND.lastIndex = at;
    const [whole, letter] = COMMAND.exec(text) ?? [];
    if (whole === undefined || letter === undefined) break;
    const takes = TAKES[letter.toLowerCase()];
    if (takes === undefined) break;
    at += whole.length;
    if (takes === 0) pen.close();
    else at = drawAll(pen, letter, takes, text, at);
  }
  return pen.outline;
}

/** Draws a command for each set of arguments: a command letter may be followed by several. */
function drawAll(pen: Pen, letter: string, takes: number, text: string, from: number): number {
  for (let at = from, command = letter; ; ) {
    const { numbers, end } = takes === 7 ? readArc(text, at) : read(text, at, NUMBER, takes);
    if (numbers.length < takes) return end;
    pen.draw(command, numbers);
    at = end;
    if (command === 'm') command = 'l';
    if (command === 'M') command = 'L';
  }
}

function read(text: string, from: number, piece: RegExp, most: number): { numbers: number[]; end: number } {
  const numbers: number[] = [];
  let end = from;
  while (numbers.length < most) {
    piece.lastIndex = end;
    const [whole, number] = piece.exec(text) ?? [];
    if (whole === undefined) break;
    numbers.push(Number(number));
    end += whole.length;
  }
  return { numbers, end };
}

/** Reads the arguments of an arc, whose two flags need no separator. */
function readArc(text: string, from: number): { numbers: number[]; end: number } {
  const radii = read(text, from, NUMBER, 3);
  const flags = read(text, radii.end, FLAG, 2);
  const target = read(text, flags.end, NUMBER, 2);
  return { numbers: [...radii.numbers, ...flags.numbers, ...target.numbers], end: target.end };
}

/** Executes the commands of a path. */
class Pen {
  readonly #bounds = new Bounds();
  #x = 0;
  #y = 0;
  #controlX = 0;
  #controlY = 0;
  #startX = 0;
  #startY = 0;

  get outline(): Outline {
    return this.#bounds.outline;
  }

  close(): void {
    this.#bounds.add(this.#startX, this.#startY);
    this.#x = this.#startX;
    this.#y = this.#startY;
  }

  draw(letter: string, numbers: readonly number[]): void {
    const command = letter.toLowerCase();
    const [fromX, fromY] = letter === command ? [this.#x, this.#y] : [0, 0];
    if (command === 'h') this.#to(fromX + (numbers[0] ?? 0), this.#y, 0);
    else if (command === 'v') this.#to(this.#x, fromY + (numbers[0] ?? 0), 0);
    else if (command === 'a') this.#arc(fromX, fromY, numbers);
    else this.#curve(command, fromX, fromY, numbers);
    if (command === 'm') [this.#startX, this.#startY] = [this.#x, this.#y];
  }

  /** A line, or a curve, which stays inside the bounds of its ends and control points. */
  #curve(command: string, fromX: number, fromY: number, numbers: readonly number[]): void {
    let [controlX, controlY] = [this.#x, this.#y];
    if (command === 's' || command === 't') {
      // Its first control point is the mirrored last one of the previous curve (SVG 2 section 9.3.6).
      [controlX, controlY] = [2 * this.#x - this.#controlX, 2 * this.#y - this.#controlY];
      this.#bounds.add(controlX, controlY);
    }
    for (let at = 0; at + 1 < numbers.length; at += 2) {
      const [x, y] = [fromX + (numbers[at] ?? 0), fromY + (numbers[at + 1] ?? 0)];
      this.#bounds.add(x, y);
      if (at + 4 === numbers.length) [controlX, controlY] = [x, y];
    }
    this.#to(fromX + (numbers.at(-2) ?? 0), fromY + (numbers.at(-1) ?? 0), 0);
    if (command !== 'm' && command !== 'l') [this.#controlX, this.#controlY] = [controlX, controlY];
  }

  /** An ellipse through both ends: its longest diameter bounds the distance of each point from an end. */
  #arc(fromX: number, fromY: number, numbers: readonly number[]): void {
    const [rx = 0, ry = 0, , isLarge, , x = 0, y = 0] = numbers;
    const distance = Math.hypot(fromX + x - this.#x, fromY + y - this.#y);
    const radius = Math.min(Math.max(Math.abs(rx), Math.abs(ry), distance / 2), 1e9);
    this.#bounds.add(this.#x, this.#y);
    // The small arc of a circle is at most a half circle on the line between its ends; others may be half or all of the ellipse.
    const isRound = rx === ry && isLarge === 0;
    const curved = isRound ? (Math.PI / 2) * distance : (isLarge === 0 ? 1 : 2) * Math.PI * radius;
    this.#to(fromX + x, fromY + y, 2 * radius, curved);
  }

  #to(x: number, y: number, around: number, curved?: number): void {
    this.#bounds.add(x, y, around, curved);
    [this.#x, this.#y] = [x, y];
    [this.#controlX, this.#controlY] = [x, y];
  }
}
