import { moment } from './text.ts';

/** A date and time with its machine-readable value. */
export const When = ({ at }: { at: string }) => <time dateTime={at}>{moment(at)}</time>;
