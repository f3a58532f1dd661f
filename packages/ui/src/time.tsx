const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function formatted(format: Intl.DateTimeFormat, iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : format.format(at);
}

/** A date in the time zone of the user. Invalid dates are returned unchanged. */
export const day = (iso: string): string => formatted(DATE, iso);

/** A date and time in the time zone of the user. Invalid dates are returned unchanged. */
export const moment = (iso: string): string => formatted(MOMENT, iso);

/** A date and time with its machine-readable value. */
export const When = ({ at }: { at: string }) => <time dateTime={at}>{moment(at)}</time>;
