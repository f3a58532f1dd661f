import { isObject } from '@svc/contracts/is-object';
import { compareGiven, type GivenFields } from './compare-given.ts';
import {
  eachField,
  type Found,
  found,
  isSubset,
  jsonOf,
  type ServedChange,
  type ServedThing,
  step,
} from './served-change.ts';

/** What a server lists beside tools. */
export type ComparedEntry = Readonly<Record<string, unknown>>;

/** The size of a resource changes with its content. */
const FREE = new Set(['bytes']);

/** The arguments of a prompt by name. */
const byName = (args: unknown): Record<string, unknown> =>
  Object.fromEntries(
    (Array.isArray(args) ? args : []).filter(isObject).map(({ name, ...rest }) => [String(name), rest]),
  );

/** An argument that goes asks for less; whether a known one is required brings nothing new. */
const compareArguments = (before: unknown, after: unknown): Found[] =>
  eachField(byName(before), byName(after), (name, was, is) => {
    const at = `/arguments${step(name)}`;
    if (was === undefined || is === undefined) return [found(at, 'parameter', [was, is], is !== undefined)];
    return eachField(was, is, (key, ...pair) =>
      key === 'isRequired'
        ? [found(at + step(key), 'schema', pair, false)]
        : [found(at + step(key), 'words', pair, true)],
    );
  });

/** The origins that a page may use, by what for. */
const compareOrigins = (before: unknown, after: unknown): Found[] =>
  eachField(before, after, (use, was, is) => [
    found(`/csp${step(use)}`, 'origins', [was, is], is !== undefined && !isSubset(is, was ?? [])),
  ]);

/** Compares the accepted description of a resource, a template, a prompt or a page with what its server says now. */
export function compareEntries(
  of: ServedThing,
  name: string,
  before: ComparedEntry,
  after: ComparedEntry,
): ServedChange[] {
  const changes = eachField(before, after, (key, was, is) => {
    if (FREE.has(key)) return [];
    if (key === 'given') return compareGiven(was as GivenFields | undefined, is as GivenFields | undefined);
    if (key === 'arguments') return compareArguments(was, is);
    if (key === 'csp') return compareOrigins(was, is);
    return [found(step(key), 'words', [was, is], jsonOf(is) !== null && is !== '')];
  });
  return changes.map((change) => ({ of, tool: name, ...change }));
}

/** An entry that the user has not seen. */
export const newEntry = (of: ServedThing, name: string, after: ComparedEntry): ServedChange => ({
  ...{ of, tool: name, path: '', kind: 'new', before: null, widens: true },
  after: jsonOf(after),
});
