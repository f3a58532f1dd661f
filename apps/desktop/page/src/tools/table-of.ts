/** A list of flat objects as a table. */
export type Table = { columns: readonly string[]; rows: readonly Readonly<Record<string, unknown>>[] };

/** More columns than these are no table that fits a page: such a list is a tree. */
const MAX_COLUMNS = 20;

/** Longest text that is tried as JSON, in characters. */
const MAX_JSON = 256 * 1024;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFlat = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null);

/** The table that a value is: a list of objects whose values are texts, numbers and the like; null for anything else. */
export function tableOf(value: unknown): Table | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return null;
  const columns = new Set<string>();
  for (const row of value) {
    for (const name of Object.keys(row)) columns.add(name);
    if (columns.size > MAX_COLUMNS) return null;
  }
  return columns.size === 0 ? null : { columns: [...columns], rows: value };
}

/** Levels that are shown as data. What nests deeper is text: JSON of any depth can be read, and not all of it written again. */
const MAX_LEVELS = 100;

/** Whether a value has no more levels than are shown. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return true;
  }
  return false;
}

/** The object or list that a text is in JSON; null for any other text, and for one that nests too deep. */
export function jsonIn(text: string): object | null {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && isShallow(value) ? value : null;
  } catch {
    return null;
  }
}
