const number = new Intl.NumberFormat('en');

/** A number of things: `1 file`, `1,200 files`. */
export const count = (n: number, noun: string): string => `${number.format(n)} ${noun}${n === 1 ? '' : 's'}`;

const KIB = 1024;
const UNITS = ['KiB', 'MiB', 'GiB'] as const;

/** A size in bytes, rounded: `812 bytes`, `4.2 KiB`, `1.0 MiB`, `9.8 GiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return count(bytes, 'byte');
  let [size, n] = [bytes / KIB, 0];
  // What rounds to 1,024 KiB is 1.0 MiB.
  while (Math.round(size * 10) >= KIB * 10 && n < UNITS.length - 1) [size, n] = [size / KIB, n + 1];
  return `${size.toFixed(1)} ${UNITS[n]}`;
}

/** A limit such as `20 MiB`; exact, so that two different limits never look the same. */
export function exactSizeText(bytes: number): string {
  let [size, unit] = [bytes, ''];
  for (const larger of UNITS) if (size >= KIB && size % KIB === 0) [size, unit] = [size / KIB, larger];
  return unit === '' ? count(size, 'byte') : `${number.format(size)} ${unit}`;
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A span of time in the largest unit of which it has one, rounded: `3 days`, `under a minute`. */
export function spanText(ms: number): string {
  const [unit, size] = SPANS.find(([, length]) => ms >= length) ?? [];
  return size === undefined ? 'under a minute' : count(Math.round(ms / size), unit);
}

/** A measured time: `42 ms`, `16.9 s`. */
export const durationText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
