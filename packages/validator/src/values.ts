import { MAX_FINDINGS_PER_CODE, type Spot } from './rule.ts';
import type { Fields, List } from './targets.ts';

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is List {
  return Array.isArray(value);
}

/** An own field of an object, never one of its prototype: `constructor` is an ordinary name. */
export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The fields of an object; none for any other value, whose type another rule checks. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

const NO_FIELDS: Fields = Object.freeze({});

/** Finding of a rule about a list: fails as a whole if the value is not a list, otherwise at each invalid item. */
export function badItems(value: unknown, isValid: (item: unknown) => boolean): boolean | Spot[] {
  if (!isList(value)) return true;
  const spots: Spot[] = [];
  for (const [index, item] of value.entries()) {
    if (!isValid(item)) spots.push({ at: [index], value: item });
    if (spots.length >= MAX_FINDINGS_PER_CODE) break;
  }
  return spots;
}

/** The items with the key of an earlier item; items without a key (undefined) are ignored. */
export function repeats(list: List, keyOf: (item: unknown) => string | undefined, ...at: string[]): Spot[] {
  const spots: Spot[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    if (key !== undefined && seen.has(key)) spots.push({ at: [index, ...at], value: key });
    if (key !== undefined) seen.add(key);
    if (spots.length >= MAX_FINDINGS_PER_CODE) break;
  }
  return spots;
}

/** Whether a value is a number from `min` to `max`, both included, and an integer if `whole`. */
export function isWithin(value: unknown, range: { min: number; max: number }, whole = false): boolean {
  if (typeof value !== 'number' || !(value >= range.min && value <= range.max)) return false;
  return !whole || Number.isInteger(value);
}
