import type { Repair } from './rule.ts';
import { isWithin } from './values.ts';

/** A decimal number. "0x10", "1e3" and "" are hardly what an author meant. */
const NUMERAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Converts a number in quotes to a number if it is in the range. */
export function repairNumber(
  value: unknown,
  range: { readonly min: number; readonly max: number },
  whole = false,
): Repair | undefined {
  if (typeof value !== 'string' || !NUMERAL.test(value.trim())) return undefined;
  const number = Number(value);
  return isWithin(number, range, whole) ? { put: number } : undefined;
}

/** Converts "true" or "false" in quotes to a boolean. */
export function repairFlag(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' || word === 'false' ? { put: word === 'true' } : undefined;
}

/** Removes outer white space if the text is valid without it. */
export function repairSpace(value: unknown, isValid: (text: string) => boolean): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text !== value && isValid(text) ? { put: text } : undefined;
}

/** Wraps a single valid text in a list. Items of a list are not changed. */
export function repairList(
  value: unknown,
  step: string | number,
  isValid: (text: string) => boolean,
): Repair | undefined {
  return typeof step === 'string' && typeof value === 'string' && isValid(value)
    ? { put: [value] }
    : undefined;
}
