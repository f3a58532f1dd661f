import type { Repair } from './rule.ts';
import { isWithin } from './values.ts';

/** Digits as people write them; "0x10", "1e3" and "" are no numbers that an author meant to give. */
const NUMERAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Takes a number out of its quotes when it is in the range. */
export function repairNumber(
  value: unknown,
  range: { readonly min: number; readonly max: number },
  whole = false,
): Repair | undefined {
  if (typeof value !== 'string' || !NUMERAL.test(value.trim())) return undefined;
  const number = Number(value);
  return isWithin(number, range, whole) ? { put: number } : undefined;
}

/** Takes `true` or `false` out of its quotes. */
export function repairFlag(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' || word === 'false' ? { put: word === 'true' } : undefined;
}

/** Removes the white space around a text when it is good without. */
export function repairSpace(value: unknown, isGood: (text: string) => boolean): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text !== value && isGood(text) ? { put: text } : undefined;
}

/** Makes the list that is due of a single text that is good in it; what stands in a list already is left alone. */
export function repairList(
  value: unknown,
  step: string | number,
  isGood: (text: string) => boolean,
): Repair | undefined {
  return typeof step === 'string' && typeof value === 'string' && isGood(value)
    ? { put: [value] }
    : undefined;
}
