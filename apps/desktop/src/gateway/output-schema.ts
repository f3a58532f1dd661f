import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '@svc/contracts/is-object';

type Rule = (value: unknown, root: object) => boolean;

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const isAny: Rule = () => true;
const isText: Rule = (value) => typeof value === 'string';
const isNumber: Rule = (value) => typeof value === 'number';
const isSchemas: Rule = (value, root) =>
  Array.isArray(value) && value.length > 0 && value.every((schema) => isSchema(schema, root));
const isNamed: Rule = (value, root) =>
  isObject(value) && Object.values(value).every((schema) => isSchema(schema, root));
const isOneOrMore: Rule = (value, root) => isSchemas(value, root) || isSchema(value, root);

const isType: Rule = (value) => {
  const types = [value].flat();
  return (
    types.length > 0 && types.length === new Set(types).size && types.every((type) => TYPES.includes(type))
  );
};

const areNames: Rule = (value) => Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Where a reference leads: to the schema or to one of its definitions (RFC 6901 section 4); undefined for anywhere else. */
function targetOf(ref: unknown, root: object): unknown {
  if (ref === '#') return root;
  const [, list = '', step = ''] = /^#\/(\$defs|definitions)\/([^/%]+)$/.exec(String(ref)) ?? [];
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  const definitions: unknown = Object.entries(root).find(([key]) => key === list)?.[1];
  return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

const each = (names: string, rule: Rule): [string, Rule][] => names.split(' ').map((name) => [name, rule]);

/**
 * The keywords that agents get, and what their values must be for a validator to compile the schema. A closed list: validators refuse
 * some keywords, such as `id`, and take others for a second schema of the same name. Without `pattern`, which an agent might match forever.
 */
const RULES = new Map<string, Rule>([
  ['$ref', (ref, root) => targetOf(ref, root) !== undefined],
  ['type', isType],
  ['required', areNames],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ...each('anyOf oneOf allOf', isSchemas),
  ...each('properties $defs definitions', isNamed),
  ...each('items', isOneOrMore),
  ...each('additionalProperties additionalItems not contains propertyNames if then else', (value, root) =>
    isSchema(value, root),
  ),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties', isNumber),
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', isNumber),
  ['uniqueItems', (value) => typeof value === 'boolean'],
  ['nullable', (value) => value === true],
  ...each('$schema $comment title description format contentEncoding contentMediaType', isText),
  ...each('const default examples deprecated readOnly writeOnly', isAny),
]);

function isSchema(schema: unknown, root: object): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isObject(schema) || ('nullable' in schema && !('type' in schema))) return false;
  return Object.entries(schema).every(
    ([name, value]) => name.startsWith('x-') || RULES.get(name)?.(value, root) === true,
  );
}

/**
 * Whether agents can compile a schema: those that compile the output schemas of a list refuse all of it for one that they cannot, so that a
 * server could hide the tools of all apps. Nothing is compiled here, as the schema is a server's.
 */
export const isCompilable = (schema: object): boolean => isSchema(schema, schema);

type Json = Readonly<Record<string, unknown>>;
type Holds = (schema: unknown, value: unknown) => boolean;
/** Whether a value is as a keyword says, and the schema that it stands in. */
type Test = (rule: never, value: never, holds: Holds, schema: Json) => boolean;

const isOfType = (type: unknown, value: unknown): boolean => {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array' || type === 'null') return type === 'array' ? Array.isArray(value) : value === null;
  return type === 'object' ? isObject(value) : typeof value === type;
};

const lengthOf = (text: string): number => [...text].length;

/** The keywords that say something of a value of any type, and of one type alone (JSON Schema, validation vocabulary). */
const TESTS: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  any: {
    type: (types: unknown, value: unknown, _, { nullable }) =>
      (nullable === true && value === null) || [types].flat().some((type) => isOfType(type, value)),
    enum: (options: unknown[], value: unknown) => options.some((one) => isDeepStrictEqual(one, value)),
    const: (only: unknown, value: unknown) => isDeepStrictEqual(only, value),
    anyOf: (schemas: unknown[], value: unknown, holds) => schemas.some((one) => holds(one, value)),
    oneOf: (schemas: unknown[], value: unknown, holds) =>
      schemas.filter((one) => holds(one, value)).length === 1,
    allOf: (schemas: unknown[], value: unknown, holds) => schemas.every((one) => holds(one, value)),
    not: (schema: unknown, value: unknown, holds) => !holds(schema, value),
    if: (schema: unknown, value: unknown, holds, { then = true, else: other = true }) =>
      holds(holds(schema, value) ? then : other, value),
  },
  object: {
    properties: (schemas: Json, value: Json, holds) =>
      Object.entries(value).every(
        ([name, part]) => !Object.hasOwn(schemas, name) || holds(schemas[name], part),
      ),
    required: (names: string[], value: Json) => names.every((name) => Object.hasOwn(value, name)),
    additionalProperties: (schema: unknown, value: Json, holds, { properties = {} }) =>
      Object.entries(value).every(
        ([name, part]) => Object.hasOwn(properties as Json, name) || holds(schema, part),
      ),
    propertyNames: (schema: unknown, value: Json, holds) =>
      Object.keys(value).every((name) => holds(schema, name)),
    minProperties: (min: number, value: Json) => Object.keys(value).length >= min,
    maxProperties: (max: number, value: Json) => Object.keys(value).length <= max,
  },
  array: {
    items: (schema: unknown, list: unknown[], holds) =>
      list.every((part, at) => holds(Array.isArray(schema) ? (schema[at] ?? true) : schema, part)),
    additionalItems: (schema: unknown, list: unknown[], holds, { items }) =>
      !Array.isArray(items) || list.slice(items.length).every((part) => holds(schema, part)),
    contains: (schema: unknown, list: unknown[], holds) => list.some((part) => holds(schema, part)),
    minItems: (min: number, list: unknown[]) => list.length >= min,
    maxItems: (max: number, list: unknown[]) => list.length <= max,
    uniqueItems: (isUnique: boolean, list: unknown[]) =>
      !isUnique || new Set(list.map((part) => JSON.stringify(part))).size === list.length,
  },
  string: {
    minLength: (min: number, text: string) => lengthOf(text) >= min,
    maxLength: (max: number, text: string) => lengthOf(text) <= max,
  },
  number: {
    minimum: (min: number, value: number) => value >= min,
    maximum: (max: number, value: number) => value <= max,
    exclusiveMinimum: (min: number, value: number) => value > min,
    exclusiveMaximum: (max: number, value: number) => value < max,
    multipleOf: (step: number, value: number) => Number.isInteger(value / step),
  },
};

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

/** Most steps of one validation, each some parts of a value: some schemas of a few lines take years. */
const MAX_STEPS = 2_000_000;

/** Keywords that read all of a value; others read what is in it at once. */
const DEEP = new Set(['enum', 'const', 'uniqueItems']);

/** How many parts a value has, with those of its parts. A text counts as one for some of its characters. */
function createSizes(): (value: unknown) => number {
  const known = new Map<object, number>();
  return function sizeOf(value): number {
    if (typeof value === 'string') return 1 + value.length / 16;
    if (typeof value !== 'object' || value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    const size = Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 1);
    known.set(value, size);
    return size;
  };
}

/**
 * Whether a value is as a schema says that agents can compile; false where that takes too long. `format` says nothing: agents get none
 * (`asOffered`).
 */
export function matches(root: object, value: unknown): boolean {
  const sizeOf = createSizes();
  let steps = MAX_STEPS;
  function holds(schema: unknown, at: unknown): boolean {
    if (!isObject(schema)) return schema === true;
    const parts = Array.isArray(at) ? at.length + 1 : isObject(at) ? Object.keys(at).length + 1 : sizeOf(at);
    return Object.entries(schema).every(([name, rule]) => {
      steps -= (Array.isArray(rule) ? rule.length : 1) * (DEEP.has(name) ? sizeOf(at) : parts);
      if (steps < 0) throw new RangeError('Too many steps.');
      if (name === '$ref') return holds(targetOf(rule, root), at);
      const test = TESTS.any?.[name] ?? TESTS[kindOf(at)]?.[name];
      return test?.(rule as never, at as never, holds, schema) ?? true;
    });
  }
  try {
    return holds(root, value);
  } catch (error) {
    // Also a reference that leads to itself, for ever.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A schema without formats, which validators check in their own ways. */
export const asOffered = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (name, part: unknown) =>
    name === 'format' && typeof part === 'string' ? undefined : part,
  );

const DONE_IN_TEXTS = {
  type: 'text',
  text: 'The tool is done, without the structured part of its output schema. Its answer follows: do not call it again for this.',
} as const;

/**
 * A result as agents take it that compare it with the output schema of its tool: one without a structured part that follows the schema is an error
 * to them, also where the call is done. Its structured part is a text then.
 * @param schema undefined for a tool that has none
 * @returns the result, and whether the server broke its schema in a call that is done
 */
export function underSchema(
  schema: object | undefined,
  { structuredContent, ...result }: CallToolResult,
): { result: CallToolResult; isBroken: boolean } {
  const whole = { ...result, ...(structuredContent !== undefined && { structuredContent }) };
  const isMissing = structuredContent === undefined;
  if (!schema || (isMissing ? result.isError : matches(schema, structuredContent)))
    return { result: whole, isBroken: false };
  const text = JSON.stringify(structuredContent);
  const isSaid = isMissing || result.content.some((block) => block.type === 'text' && block.text === text);
  const content = [...result.content, ...(isSaid ? [] : [{ type: 'text' as const, text }])];
  if (result.isError) return { result: { ...result, content }, isBroken: false };
  return { result: { ...result, isError: true, content: [DONE_IN_TEXTS, ...content] }, isBroken: true };
}
