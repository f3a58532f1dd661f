import { MAX_FINDINGS_PER_CODE, type Spot } from './rule.ts';
import type { Fields, List } from './targets.ts';

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is List {
  return Array.isArray(value);
}

/** A field of an object, never one of its prototype: `constructor` is a name like any other. */
export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The fields of an object; none for anything else. For parts whose shape another rule reports. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

const NO_FIELDS: Fields = Object.freeze({});

/** For rules about a list: broken as a whole when it is no list, else at each item that is not `good`. */
export function badItems(value: unknown, good: (item: unknown) => boolean): boolean | Spot[] {
  if (!isList(value)) return true;
  const spots: Spot[] = [];
  for (const [index, item] of value.entries()) {
    if (!good(item)) spots.push({ at: [index], value: item });
    if (spots.length >= MAX_FINDINGS_PER_CODE) break;
  }
  return spots;
}

/** The items whose key an earlier item has; items without a key (undefined) repeat nothing. */
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

/** Whether a value is a number, whole when asked, from `min` to `max`, both included. */
export function isWithin(value: unknown, range: { min: number; max: number }, whole = false): boolean {
  if (typeof value !== 'number' || !(value >= range.min && value <= range.max)) return false;
  return !whole || Number.isInteger(value);
}
