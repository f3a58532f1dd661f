/** How many there were on a day. */
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

/** The days of a time without a hole: those that were left out had none. Given and answered in the order of time. */
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

/** A bar for each day, as high as its count among all. What is not nothing can be seen, however little it is. */
export function barsOf(days: readonly DayCount[]): Bar[] {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const width = 100 / days.length;
  return days.map(({ count }, index) => {
    const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * 100);
    return { x: index * width + (width * GAP) / 2, y: 100 - height, width: width * (1 - GAP), height };
  });
}
