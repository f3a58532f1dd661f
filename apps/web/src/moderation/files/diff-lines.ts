/** A line of a difference, with its numbers from 1. */
export type LineChange = {
  readonly sign: ' ' | '+' | '-';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/**
 * Changed lines up to which the shortest difference is looked for. Its cost grows with their square; files that differ in
 * more are shown as one replaced by the other, which hides nothing.
 */
const MAX_CHANGES = 1_500;

/** How far each diagonal has come after each number of changes: what the way back is read from. */
type Trace = Int32Array[];

/** Whether the way to a diagonal with so many changes ends in an added line, and not in a removed one. */
const isDown = (d: number, k: number, of: (diagonal: number) => number): boolean =>
  k === -d || (k !== d && of(k - 1) < of(k + 1));

/** How far equal lines lead along a diagonal. */
function alongEqual(a: Int32Array, b: Int32Array, from: number, k: number): number {
  let x = from;
  while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
  return x;
}

/**
 * The greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), over lines given as
 * numbers.
 * @returns null when more changes are needed than anybody should wait for
 */
function traceOf(a: Int32Array, b: Int32Array): Trace | null {
  const most = Math.min(a.length + b.length, MAX_CHANGES);
  const reach = new Int32Array(2 * most + 3);
  const at = most + 1;
  const trace: Trace = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(reach.slice(at - d - 1, at + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const of = (diagonal: number) => reach[at + diagonal] ?? 0;
      const x = alongEqual(a, b, isDown(d, k, of) ? of(k + 1) : of(k - 1) + 1, k);
      reach[at + k] = x;
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return null;
}

/**
 * The way back along a trace: for each line whether it is kept, removed or added, from the end to the beginning. Each
 * number of changes adds one of them, and then the equal lines that follow it.
 */
function* wayBack(a: Int32Array, b: Int32Array, trace: Trace): Generator<LineChange['sign']> {
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const reach = trace[d] as Int32Array;
    const of = (diagonal: number) => reach[diagonal + d + 1] ?? 0;
    const down = isDown(d, x - y, of);
    const from = down ? x - y + 1 : x - y - 1;
    const fromX = of(from);
    for (; x > fromX && y > fromX - from; x -= 1, y -= 1) yield ' ';
    yield down ? '+' : '-';
    [x, y] = [fromX, fromX - from];
  }
  for (; x > 0; x -= 1) yield ' ';
}

/** Lines as numbers, equal ones as the same. */
function numbered(lines: readonly string[], known: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  });
}

const times = (sign: LineChange['sign'], count: number): LineChange['sign'][] => Array(count).fill(sign);

function signsOf(before: readonly string[], after: readonly string[]): LineChange['sign'][] {
  const known = new Map<string, number>();
  const [a, b] = [numbered(before, known), numbered(after, known)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [midA, midB] = [a.subarray(start, a.length - end), b.subarray(start, b.length - end)];
  const trace = traceOf(midA, midB);
  const middle = trace
    ? [...wayBack(midA, midB, trace)].reverse()
    : [...times('-', midA.length), ...times('+', midB.length)];
  return [...times(' ', start), ...middle, ...times(' ', end)];
}

/**
 * Compares two texts line by line: every line of either is in the result, once.
 * @param before the lines of the older text; of none, all of the other are added
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let [i, j] = [0, 0];
  return signsOf(before, after).map((sign) => {
    const text = (sign === '-' ? before[i] : after[j]) ?? '';
    const change = {
      sign,
      before: sign === '+' ? null : i + 1,
      after: sign === '-' ? null : j + 1,
      text,
    };
    if (sign !== '+') i += 1;
    if (sign !== '-') j += 1;
    return change;
  });
}
