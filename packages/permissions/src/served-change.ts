import type { ChangeValue } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { pointerOf } from './pointer.ts';

/** What a server lists: a tool, a resource, a resource template, a prompt, or a page that it shows in clients (MCP Apps). */
export type ServedThing = 'tool' | 'resource' | 'template' | 'prompt' | 'page';

/** A difference between the accepted description of what a server lists and what the server says now. */
export type ServedChange = {
  of: ServedThing;
  /** Its name on the server; the address of a resource or page. */
  tool: string;
  /** JSON Pointer into it, such as `/inputSchema/properties/path`; empty for the whole of it. */
  path: string;
  /**
   * A new thing, a parameter, words that models read, a behaviour hint, another part of a schema, to whom a tool is shown, the page of a
   * tool, icons, an origin that a page may use, or other metadata.
   */
  kind:
    | 'new'
    | 'parameter'
    | 'words'
    | 'hint'
    | 'schema'
    | 'visibility'
    | 'page'
    | 'icons'
    | 'origins'
    | 'meta';
  before: ChangeValue;
  after: ChangeValue;
  /** Whether it waits for the user: something new, other words, a looser hint, or a schema that allows more. */
  widens: boolean;
};

export type Found = Omit<ServedChange, 'of' | 'tool'>;

export const step = (key: string): string => pointerOf('/*', [key]);

export const jsonOf = (value: unknown): ChangeValue => (value === undefined ? null : (value as ChangeValue));

export const found = (
  path: string,
  kind: Found['kind'],
  [before, after]: readonly unknown[],
  widens: boolean,
): Found => ({ ...{ path, kind, widens }, before: jsonOf(before), after: jsonOf(after) });

/** Whether two values of JSON are the same, in any order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

export const setOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

export const isSubset = (part: unknown, whole: unknown): boolean =>
  setOf(part).every((item) => setOf(whole).some((other) => isSame(item, other)));

/** Compares two values field by field. @param compare is called for each field that is not the same */
export const eachField = (
  before: unknown,
  after: unknown,
  compare: (key: string, before: unknown, after: unknown) => Found[],
): Found[] => {
  const [was, is] = [before, after].map((value) => (isObject(value) ? value : {}));
  const own = (value: unknown, key: string): unknown =>
    isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].flatMap((key) => {
    const pair = [own(was, key), own(is, key)] as const;
    return isSame(...pair) ? [] : compare(key, ...pair);
  });
};
