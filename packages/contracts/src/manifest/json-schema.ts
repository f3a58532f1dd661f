import { z } from 'zod';
import { Manifest } from './manifest.ts';

type Json = Record<string, unknown>;

/** Path of the schema in a store. */
export const MANIFEST_SCHEMA_PATH = '/schemas/app-manifest-v3.json';

/** Keywords that explain and complete; all others may refuse. Properties are loosened in their turn. */
const TELLING: ReadonlySet<string> = new Set(['description', 'properties', 'examples', '$comment']);

/** The schema with nothing in it that refuses: what was the only choice becomes a suggestion. */
function loosened(schema: Json): Json {
  const kept = Object.entries(schema).filter(([keyword]) => TELLING.has(keyword));
  const { properties, ...rest } = Object.fromEntries(kept) as { properties?: Record<string, Json> };
  return {
    ...rest,
    ...(schema.enum !== undefined && { examples: schema.enum }),
    ...(properties && { properties: mapValues(properties, loosened) }),
  };
}

/**
 * Has editors strike out what the format does not know below the top. Not refused: the checks ignore such fields, and a
 * schema that refuses what they let pass would split the contract in two.
 */
const UNKNOWN_FIELD = {
  description: 'The format has no such field: it is ignored.',
  deprecated: true,
};

function markUnknown(schema: Json): Json {
  const inside = mapValues(schema, (value) => {
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? markUnknown(item) : item));
    return isObject(value) ? markUnknown(value) : value;
  });
  const isShape = isObject(schema.properties) && schema.additionalProperties === undefined;
  return isShape ? { ...inside, additionalProperties: { $ref: '#/$defs/UnknownField' } } : inside;
}

/** The format has `contributes.settingSections`, of which it says no more than that it is a list; so nothing reads it. */
const withSections = (contributes: Json): Json => ({
  ...contributes,
  properties: {
    ...(contributes.properties as Json),
    settingSections: { type: 'array', description: 'Headings that group the settings.' },
  },
});

/**
 * The shape of a manifest as JSON Schema 2020-12, for editors. Whatever it refuses the validation codes refuse too; they
 * check far more. The one exception: a field at the top that the format does not know, which they ignore.
 * @param address where this schema is served; becomes its `$id`
 */
export function manifestJsonSchema(address: string): Json {
  const generated = z.toJSONSchema(Manifest, { io: 'input' }) as {
    $schema: string;
    $defs: Record<string, Json>;
  };
  const { Manifest: root, Setting, ...definitions } = mapValues(generated.$defs, markUnknown);
  const { properties, ...rest } = root as Json & { properties: Record<string, Json> };
  const { $schema: dialect, author, ...fields } = properties;
  return {
    $schema: generated.$schema,
    $id: address,
    title: 'svc app manifest',
    ...rest,
    // No code covers these, so nothing may be refused here.
    properties: { $schema: loosened(dialect as Json), ...fields, author: loosened(author as Json) },
    additionalProperties: false,
    $defs: {
      ...definitions,
      Contributes: withSections(definitions.Contributes as Json),
      Setting: loosened(Setting as Json),
      UnknownField: UNKNOWN_FIELD,
    },
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
