import { isObject } from '@svc/contracts/is-object';

type JsonObject = Readonly<Record<string, unknown>>;

/** Without fields that are null, as serializers write for none. */
export const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Fields of the schema of a form's field by the type that they have; those of another one are removed. */
const TYPED: Readonly<Record<string, string>> = {
  ...{ title: 'string', description: 'string', format: 'string' },
  ...{ minLength: 'number', maxLength: 'number', minimum: 'number', maximum: 'number' },
  ...{ minItems: 'number', maxItems: 'number' },
};

/** Formats of a form's texts (MCP, "StringSchema"); another one is a plain text. */
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** Type of a field's default, by the type of the field. */
const DEFAULTS: Readonly<Record<string, string>> = {
  ...{ string: 'string', boolean: 'boolean', number: 'number', integer: 'number' },
};

/** The schema that a reference within the form names (`#/$defs/Status`), with what stands beside it. */
function dereferenced({ $ref, ...rest }: JsonObject, definitions: JsonObject): JsonObject {
  const found = typeof $ref === 'string' ? definitions[$ref.slice($ref.lastIndexOf('/') + 1)] : undefined;
  return isObject(found) ? { ...found, ...rest } : rest;
}

/** The schema of a field, of an optional one as generators write it: the only alternative beside null, or the only part. */
function withoutAlternatives(schema: JsonObject, definitions: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = dereferenced(schema, definitions);
  const given = [anyOf, oneOf, allOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (!given) return rest;
  const others = given.filter((part) => isObject(part) && part.type !== 'null') as readonly JsonObject[];
  const [only] = others;
  if (only && others.length === 1 && !('const' in only))
    return { ...dereferenced(only, definitions), ...rest };
  const titled = others.map(({ title, ...other }) =>
    'const' in other ? { ...other, title: typeof title === 'string' ? title : String(other.const) } : other,
  );
  return { ...rest, oneOf: titled };
}

/** The options of a list as forms of MCP have them ("MultiSelectEnumSchema"): none for a list of any texts, which those do not have. */
function plainItems(given: unknown, definitions: JsonObject): unknown {
  const { oneOf, ...items } = withoutAlternatives(isObject(given) ? given : {}, definitions);
  if (oneOf !== undefined) return { anyOf: oneOf };
  const { type = 'string', enum: options = [] } = items;
  return type === 'string' ? { type, enum: options } : given;
}

/** The schema of a field as forms of MCP have it (MCP, "PrimitiveSchemaDefinition"), of what generators of schemas write. */
function plainField(given: unknown, definitions: JsonObject): JsonObject {
  const {
    const: only,
    default: initial,
    ...schema
  } = withoutAlternatives(isObject(given) ? given : {}, definitions);
  const options = only === undefined ? schema.enum : [only];
  const named = [schema.type].flat().find((type) => type !== 'null');
  const type = typeof named === 'string' ? named : 'string';
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      (TYPED[name] ?? typeof value) === typeof value && (name !== 'format' || FORMATS.includes(value)),
  );
  return {
    ...Object.fromEntries(kept),
    type,
    ...(Array.isArray(options) && { enum: options.filter((option) => option !== null) }),
    ...(type === 'array' && { items: plainItems(schema.items, definitions) }),
    ...((typeof initial === DEFAULTS[type] || (type === 'array' && Array.isArray(initial))) && {
      default: initial,
    }),
  };
}

/** The schema of a form: of an object with its fields. */
function plainForm({ properties, required, $defs, definitions, ...schema }: JsonObject): JsonObject {
  const known = isObject($defs) ? $defs : isObject(definitions) ? definitions : {};
  const fields = Object.entries(isObject(properties) ? properties : {});
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, plainField(field, known)])),
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
  };
}

/** Tokens that a model may answer with, where a server does not say how many. */
const MAX_TOKENS = 1_024;

/**
 * The params of a request of a server for which the MCP client would refuse it: the schema of a form that is no plain one, a page without
 * an id, no limit of tokens, and nulls.
 */
export function repairParams(method: unknown, params: unknown): unknown {
  if (!isObject(params)) return params;
  if (method === 'sampling/createMessage') return { maxTokens: MAX_TOKENS, ...withoutNulls(params) };
  const { requestedSchema, mode } = params;
  if (method === 'elicitation/create' && mode === 'url')
    return { elicitationId: '', message: '', ...withoutNulls(params) };
  if (method !== 'elicitation/create' || !isObject(requestedSchema)) return params;
  return { message: '', ...withoutNulls(params), requestedSchema: plainForm(requestedSchema) };
}
