const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function formatted(format: Intl.DateTimeFormat, iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : format.format(at);
}

/** A date in the time zone of the user. Invalid dates are returned unchanged. */
export const day = (iso: string): string => formatted(DATE, iso);

/** A time of day, with seconds, in the time zone of the user. Invalid dates are returned unchanged. */
export const time = (iso: string): string => formatted(TIME, iso);

/** A date and time in the time zone of the user. Invalid dates are returned unchanged. */
export const moment = (iso: string): string => formatted(MOMENT, iso);

/** `1 error`, `2 errors`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** A name at the end of a sentence, with one full stop: `Acme.`, `Acme Ltd.`. */
export const ended = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

const KIB = 1024;

/** A size in bytes as text: `812 bytes`, `4.2 KiB`, `1.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return count(bytes, 'byte');
  const [amount, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KiB'] : [bytes / KIB / KIB, 'MiB'];
  return `${amount.toFixed(1)} ${unit}`;
}

/** Formats a duration in milliseconds: `42 ms`, `16.9 s`. */
export const durationText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
