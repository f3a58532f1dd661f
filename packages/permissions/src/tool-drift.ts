import type { ServedTool } from '@svc/contracts';
import { TOOL_HINT_NAMES, TOOL_HINTS } from '@svc/contracts/vocabulary';
import { pointerOf } from './pointer.ts';

/** How a server's tool differs from its record. `widens`: an agent may read other words, send more, or be asked less. */
export type ToolDrift = {
  /** Name on the server. */
  tool: string;
  /** JSON Pointer into the tool, such as `/inputSchema/properties/to`; empty for the whole tool. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
  widens: boolean;
};

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
};

const isWithin = (before: unknown, after: unknown): boolean =>
  [after].flat().every((item) => [before].flat().some((one) => same(one, item)));

const isLower = (before: unknown, after: unknown): boolean =>
  typeof after === 'number' && (before === undefined || (typeof before === 'number' && after <= before));

const isHigher = (before: unknown, after: unknown): boolean =>
  typeof after === 'number' && (before === undefined || (typeof before === 'number' && after >= before));

/** The types of JSON Schema: a schema without one allows them all. */
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The keywords of JSON Schema 2020-12 by which a schema can only become narrower: whether it does. */
const NARROWING: Readonly<Record<string, (before: unknown, after: unknown) => boolean>> = {
  type: (before, after) => isWithin(before ?? TYPES, after),
  enum: (before, after) => before !== undefined && isWithin(before, after),
  additionalProperties: (_before, after) => after === false,
  ...Object.fromEntries(
    ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((key) => [key, isLower]),
  ),
  ...Object.fromEntries(
    ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((key) => [key, isHigher]),
  ),
};

/** Keywords that restrict nothing, so that a schema is no wider without them. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'default',
  '$comment',
  'deprecated',
]);

type Difference = Pick<ToolDrift, 'path' | 'before' | 'after' | 'widens'>;

const at = (path: string, key: string): string => path + pointerOf('/*', [key]);

/** The named schemas of `properties`: a new one widens, a removed one does not. */
function propertiesDrift(before: Json, after: Json, path: string): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): Difference[] => {
    const here = at(path, name);
    const [was, is] = [before[name], after[name]];
    if (!Object.hasOwn(after, name)) return [{ path: here, before: was, after: null, widens: false }];
    if (!Object.hasOwn(before, name)) return [{ path: here, before: null, after: is, widens: true }];
    return schemaDrift(was, is, here);
  });
}

/** Whether only known parameters must be sent. Any other text in the list is one that agents have not read. */
function requiresKnown(was: unknown, is: unknown, properties: unknown): boolean {
  const known = [...[was ?? []].flat(), ...Object.keys(isObject(properties) ? properties : {})];
  return isWithin(known, is ?? []);
}

function keywordDrift(key: string, was: unknown, is: unknown, path: string, schema: Json = {}): Difference[] {
  if (same(was, is)) return [];
  if (key === 'properties' && (was === undefined || isObject(was)) && isObject(is))
    return propertiesDrift(was ?? {}, is, path);
  if (key === 'items' && isObject(was) && isObject(is)) return schemaDrift(was, is, path);
  if (key === 'required') {
    const widens = !requiresKnown(was, is, schema.properties);
    return [{ path, before: was ?? null, after: is ?? null, widens }];
  }
  const widens = is === undefined ? !ANNOTATIONS.has(key) : !NARROWING[key]?.(was, is);
  return [{ path, before: was ?? null, after: is ?? null, widens }];
}

/** Compares two schemas as data: references are never resolved, so that a loop of them ends nothing. */
function schemaDrift(before: unknown, after: unknown, path: string): Difference[] {
  if (!isObject(before) || !isObject(after)) {
    return same(before, after) ? [] : [{ path, before: before ?? null, after: after ?? null, widens: true }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => keywordDrift(key, before[key], after[key], at(path, key), before));
}

function hintsDrift(before: ServedTool, after: ServedTool): Difference[] {
  return TOOL_HINT_NAMES.flatMap((hint) => {
    const { assumed, loose } = TOOL_HINTS[hint];
    const [was, is] = [before, after].map(({ annotations }) => annotations?.[hint] ?? assumed);
    return was === is ? [] : [{ path: `/annotations/${hint}`, before: was, after: is, widens: is === loose }];
  });
}

/** Differences in what a server says of one tool. Its description is left out: agents read the one of the manifest. */
function toolDrift(before: ServedTool, after: ServedTool): Difference[] {
  return [
    ...keywordDrift('title', before.title, after.title, '/title'),
    ...schemaDrift(before.inputSchema, after.inputSchema, '/inputSchema'),
    ...keywordDrift('outputSchema', before.outputSchema, after.outputSchema, '/outputSchema').flatMap(
      (change) =>
        isObject(change.before) && isObject(change.after)
          ? schemaDrift(change.before, change.after, '/outputSchema')
          : [change],
    ),
    ...hintsDrift(before, after),
  ];
}

/**
 * Compares what a server lists with its record.
 * @param declared names on the server of the tools that the manifest declares: no client calls others, so a change of those never widens
 * @returns the differences, sorted by tool
 */
export function toolDriftOf(
  before: readonly ServedTool[],
  after: readonly ServedTool[],
  declared: ReadonlySet<string>,
): ToolDrift[] {
  const [was, is] = [before, after].map((tools) => new Map(tools.map((tool) => [tool.name, tool])));
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort();
  return names.flatMap((tool): ToolDrift[] => {
    const [old, now] = [was?.get(tool), is?.get(tool)];
    const isDeclared = declared.has(tool);
    if (old && now)
      return toolDrift(old, now).map((one) => ({
        ...one,
        tool,
        kind: 'changed',
        widens: one.widens && isDeclared,
      }));
    const kind = now ? 'added' : 'removed';
    return [
      {
        tool,
        path: '',
        kind,
        before: old ?? null,
        after: now ?? null,
        widens: isDeclared && now !== undefined,
      },
    ];
  });
}
