import { visible } from '@svc/text';

/** Blocks of scripts that are written from right to left (Unicode DerivedBidiClass). */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name inside a sentence, isolated if it could reorder the text around it (UAX #9, FSI and PDI). */
export function isolated(text: string): string {
  const shown = visible(text);
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}
