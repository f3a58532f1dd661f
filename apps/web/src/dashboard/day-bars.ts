export type DayCount = {
  /** ISO 8601, UTC, such as `2026-03-01`. */
  readonly day: string;
  readonly count: number;
};

/** A bar of a chart, in the units of its view box: 0 to 100 from the left and from the top. */
export type Bar = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const DAY_MS = 24 * 60 * 60_000;
const GAP = 0.2;
const MIN_HEIGHT = 1;

/** Fills in the missing days with a count of 0. Input and output are sorted by day. */
export function everyDay(counts: readonly DayCount[]): DayCount[] {
  const [first, last] = [counts[0], counts.at(-1)];
  if (!first || !last) return [];
  const known = new Map(counts.map(({ day, count }) => [day, count]));
  const from = Date.parse(first.day);
  const length = Math.round((Date.parse(last.day) - from) / DAY_MS) + 1;
  return Array.from({ length }, (_, index) => {
    const day = new Date(from + index * DAY_MS).toISOString().slice(0, 10);
    return { day, count: known.get(day) ?? 0 };
  });
}

const STEPS = [1, 2, 5, 10];

/** The upper end of an axis: the next of 1, 2, 5 and 10 times a power of ten, so that its half is read easily. */
export function axisEnd(max: number): number {
  if (max <= 2) return 2;
  const unit = 10 ** Math.floor(Math.log10(max));
  return unit * (STEPS.find((step) => step * unit >= max) ?? 10);
}

/** A bar for each count, scaled to the end of the axis or to the largest count. A count above 0 is always visible. */
export function barsOf(counts: readonly number[], end: number = Math.max(1, ...counts)): Bar[] {
  const width = 100 / counts.length;
  return counts.map((count, index) => {
    const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / end) * 100);
    return { x: index * width + (width * GAP) / 2, y: 100 - height, width: width * (1 - GAP), height };
  });
}
