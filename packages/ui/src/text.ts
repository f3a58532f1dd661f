export { count, durationText, sizeText } from '@svc/text/quantity';

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

/** A name at the end of a sentence, with one full stop: `Acme.`, `Acme Ltd.`. */
export const ended = (name: string): string => (name.endsWith('.') ? name : `${name}.`);
