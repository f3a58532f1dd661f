import { isObject } from '@svc/contracts/is-object';
import { TOOL_HINT_NAMES, TOOL_HINTS, type ToolHint } from '@svc/contracts/vocabulary';
import { compareGiven, type GivenFields } from './compare-given.ts';
import { type Found, found, isSame, isSubset, type ServedChange, setOf, step } from './served-change.ts';

/** What a server says of a tool, as it is pinned by clients and recorded by stores. */
export type ComparedTool = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Schema;
  outputSchema?: Schema | undefined;
  annotations?: { readonly [hint in ToolHint]?: boolean | undefined } | undefined;
  /** Icons and `_meta` of a connector's tool. */
  given?: GivenFields | undefined;
};

/** Most changes that are listed of one tool. More say nothing new: the tool waits as a whole. */
const MAX_CHANGES = 100;

/** How a change of a keyword of JSON Schema is compared. `schema` is the accepted schema that has it. */
type Compare = (path: string, before: unknown, after: unknown, schema: Schema) => Found[];

type Schema = Readonly<Record<string, unknown>>;

/** Words that models read. Removing them is no new instruction. */
const words: Compare = (path, before, after) => [found(path, 'words', [before, after], after !== undefined)];

/** A restriction of values in words that models read: without it, or with another one, a tool may be sent more. */
const restriction: Compare = (path, before, after) => [found(path, 'words', [before, after], true)];

/** A keyword whose larger (`1`) or smaller (`-1`) value, or absence, allows more. */
const bound =
  (direction: 1 | -1): Compare =>
  (path, before, after) => {
    const isTighter =
      typeof after === 'number' &&
      (before === undefined || (typeof before === 'number' && (after - before) * direction < 0));
    return [found(path, 'schema', [before, after], !isTighter)];
  };

/** A list of allowed values: fewer allow less, and no list allows all. Its texts are words. */
const allowed: Compare = (path, before, after) => [
  found(path, 'words', [before, after], !isSubset(after, before)),
];

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const types: Compare = (path, before, after) => {
  const isNarrower =
    before === undefined || isSubset(after, before) || (after === 'integer' && isSubset('number', before));
  return [found(path, 'schema', [before, after], !(isSubset(after, TYPES) && isNarrower))];
};

/** Which of the known parameters must be given brings nothing that the user has not seen; another name does. */
const required: Compare = (path, before, after, { properties }) => {
  const known = [...setOf(before ?? []), ...Object.keys(isObject(properties) ? properties : {})];
  return [found(path, 'schema', [before, after], !isSubset(after ?? [], known))];
};

/** Schemas by name: a new one brings parameters and words, one that goes does not. */
const named: Compare = (path, before, after) => {
  const [was, is] = [before ?? {}, after ?? {}];
  if (!isObject(was) || !isObject(is)) return [found(path, 'schema', [before, after], true)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const at = path + step(name);
    if (!Object.hasOwn(was, name)) return [found(at, 'parameter', [undefined, is[name]], true)];
    if (!Object.hasOwn(is, name)) return [found(at, 'parameter', [was[name], undefined], false)];
    return compareSchemas(at, was[name], is[name]);
  });
};

/** Further properties: forbidding them allows less. */
const additional: Compare = (path, before, after) =>
  after === false
    ? [found(path, 'schema', [before, after], false)]
    : isObject(after)
      ? compareSchemas(path, before, after)
      : [found(path, 'schema', [before, after], !(before === true && after === undefined))];

/** Alternatives: fewer allow less. */
const alternatives: Compare = (path, before, after) => {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length === after.length)
      return after.flatMap((item, index) => compareSchemas(`${path}/${index}`, before[index], item));
    if (after.length > 0 && isSubset(after, before)) return [found(path, 'schema', [before, after], false)];
  }
  return [found(path, 'schema', [before, after], true)];
};

const within: Compare = (path, before, after) => compareSchemas(path, before, after);

/** The keywords whose changes can allow less. A change of any other one waits for the user. */
const KEYWORDS: ReadonlyMap<string, Compare> = new Map([
  ...['title', 'description', '$comment', 'examples', 'default', 'deprecated'].map(
    (name) => [name, words] as const,
  ),
  ...['const', 'format', 'pattern'].map((name) => [name, restriction] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map(
    (name) => [name, bound(1)] as const,
  ),
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map(
    (name) => [name, bound(-1)] as const,
  ),
  ...['properties', '$defs', 'definitions'].map((name) => [name, named] as const),
  ...['additionalProperties', 'unevaluatedProperties'].map((name) => [name, additional] as const),
  ...['anyOf', 'oneOf'].map((name) => [name, alternatives] as const),
  ['enum', allowed],
  ['type', types],
  ['items', within],
  ['required', required],
]);

/** Compares two schemas. `$ref` is compared as text, so that loops end. */
function compareSchemas(path: string, before: unknown, after: unknown): Found[] {
  if (isSame(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [found(path, 'schema', [before, after], true)];
  const changes: Found[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before, after].map((schema) => (Object.hasOwn(schema, key) ? schema[key] : undefined));
    if (isSame(was, is)) continue;
    const at = path + step(key);
    const compare = KEYWORDS.get(key);
    changes.push(...(compare ? compare(at, was, is, before) : [found(at, 'schema', [was, is], true)]));
    if (changes.length > MAX_CHANGES) return [found(path, 'schema', [before, after], true)];
  }
  return changes;
}

function compareHints(before: ComparedTool, after: ComparedTool): Found[] {
  return TOOL_HINT_NAMES.flatMap((hint) => {
    const { assumed, loose } = TOOL_HINTS[hint];
    const [was, is] = [before, after].map(({ annotations }) => annotations?.[hint] ?? assumed);
    return was === is ? [] : [found(`/annotations/${hint}`, 'hint', [was, is], is === loose)];
  });
}

/** Compares the accepted description of a tool with what its server says now; empty when they mean the same. */
export function compareTools(before: ComparedTool, after: ComparedTool): ServedChange[] {
  const texts = (['title', 'description'] as const).flatMap((field) =>
    before[field] === after[field] ? [] : words(`/${field}`, before[field], after[field], {}),
  );
  const schemas = (['inputSchema', 'outputSchema'] as const).flatMap((field) => {
    const [was, is] = [before[field], after[field]];
    // Without an output schema a result may be anything.
    if (field === 'outputSchema' && is === undefined && was !== undefined)
      return [found(`/${field}`, 'schema', [was, is], false)];
    return compareSchemas(`/${field}`, was, is);
  });
  const changes = [
    ...texts,
    ...compareHints(before, after),
    ...schemas,
    ...compareGiven(before.given, after.given),
  ];
  return changes.map((change) => ({ of: 'tool', tool: before.name, ...change }));
}
