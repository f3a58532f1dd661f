import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@svc/contracts/is-object';

/** The content of a configuration: groups of entries by name. */
export type Table = Record<string, unknown>;

/** One edit of a text, or its inverse. */
export type TextEdit = { offset: number; length: number; content: string };

/** The agent's file cannot be changed safely. The message says what to do. */
export class ConfigError extends Error {}

export const applyEdit = (text: string, { offset, length, content }: TextEdit): string =>
  text.slice(0, offset) + content + text.slice(offset + length);

/** The inverse of an edit. */
export const undoOf = (text: string, { offset, length, content }: TextEdit): TextEdit => ({
  offset,
  length: content.length,
  content: text.slice(offset, offset + length),
});

/** Where an entry is: the group of servers, and the name of ours. */
export type Path = readonly [group: string, ...names: string[]];

/** A copy of a value with one path set or removed. */
export function changed(value: unknown, [key = '', ...rest]: readonly string[], put: unknown): Table {
  const object: Table = isObject(value) ? { ...value } : {};
  if (rest.length > 0) object[key] = changed(object[key], rest, put);
  else if (put === undefined) delete object[key];
  else object[key] = put;
  return object;
}

/** The entry at a path; undefined if there is none. */
export const entryAt = (table: Table, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), table);

/**
 * Verifies that an edit changed exactly one entry: what a parser of lines takes for a header may be part of a text.
 * @param read reads a configuration; throws ConfigError
 * @param put the entry; undefined when it was removed
 * @returns the text after the edit
 * @throws ConfigError
 */
export function requireOnly(
  read: (text: string) => Table,
  [before, after]: readonly [string, string],
  path: Path,
  put: unknown,
): string {
  const expected = changed(read(before), path, put);
  const [group] = path;
  try {
    const now = read(after);
    // A group without entries may be left without a value.
    if (isDeepStrictEqual({ ...now, [group]: now[group] ?? {} }, expected)) return after;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  throw new ConfigError('It is written in a way that cannot be changed safely. Change it by hand.');
}

/** The smallest edit between two texts. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return {
    offset: start,
    length: before.length - start - end,
    content: after.slice(start, after.length - end),
  };
}

export const lineEndOf = (text: string): '\r\n' | '\n' => (text.includes('\r\n') ? '\r\n' : '\n');
