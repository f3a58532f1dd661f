const KIB = 1024;

/** Formats a size in bytes: `812 bytes`, `4.2 KiB`, `1.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  const [amount, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KiB'] : [bytes / KIB / KIB, 'MiB'];
  return `${amount.toFixed(1)} ${unit}`;
}

/** Formats a duration in milliseconds: `42 ms`, `16.9 s`. */
export const durationText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

function formatted(format: Intl.DateTimeFormat, iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : format.format(at);
}

/** Formats a date, a time or both, in the user's time zone. Invalid dates are returned unchanged. */
export const day = (iso: string): string => formatted(DATE, iso);
export const time = (iso: string): string => formatted(TIME, iso);
export const moment = (iso: string): string => formatted(MOMENT, iso);
