import { isObject } from '@svc/contracts/is-object';
/** A list of flat objects as a table. */
export type Table = { columns: readonly string[]; rows: readonly Readonly<Record<string, unknown>>[] };

/** Most columns of a table. A list with more is shown as a tree. */
const MAX_COLUMNS = 20;

/** Longest text that is parsed as JSON, in characters. */
const MAX_JSON = 256 * 1024;

const isFlat = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.values(value).every((field) => typeof field !== 'object' || field === null);

/** Converts a list of flat objects to a table; null for anything else. */
export function tableOf(value: unknown): Table | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return null;
  const columns = new Set<string>();
  for (const row of value) {
    for (const name of Object.keys(row)) columns.add(name);
    if (columns.size > MAX_COLUMNS) return null;
  }
  return columns.size === 0 ? null : { columns: [...columns], rows: value };
}

/** Deepest nesting that is shown as data. Deeper JSON is shown as text: it can be parsed, but `JSON.stringify` would overflow the stack. */
const MAX_LEVELS = 100;

/** Whether a value nests no deeper than `MAX_LEVELS`. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return true;
  }
  return false;
}

/** Parses a text that is a JSON object or list; null for any other text, and for JSON that nests too deeply. */
export function jsonIn(text: string): object | null {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && isShallow(value) ? value : null;
  } catch {
    return null;
  }
}
