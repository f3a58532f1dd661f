import { z } from 'zod';
import { isObject } from '../is-object.ts';
import { Manifest } from './manifest.ts';

type Json = Record<string, unknown>;

/** Path of the schema in a store. */
export const MANIFEST_SCHEMA_PATH = '/schemas/app-manifest-v3.json';

/** Keywords that never make a value invalid. All others may. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'properties', 'examples', '$comment']);

/** Returns the schema without constraints, also in its properties: the values of an enum become examples. */
function loosen(schema: Json): Json {
  const annotations = Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword));
  const { properties, ...rest } = Object.fromEntries(annotations) as { properties?: Record<string, Json> };
  return {
    ...rest,
    ...(schema.enum !== undefined && { examples: schema.enum }),
    ...(properties && { properties: mapValues(properties, loosen) }),
  };
}

/**
 * Makes editors strike out unknown fields below the top level. They are not invalid: the checks ignore them, and the schema must not
 * be stricter than the checks.
 */
const UNKNOWN_FIELD = {
  description: 'Unknown field: it is ignored.',
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

/** Adds `contributes.settingSections`. The format only defines it as a list, and no code reads it. */
const withSections = (contributes: Json): Json => ({
  ...contributes,
  properties: {
    ...(contributes.properties as Json),
    settingSections: { type: 'array', description: 'Headings that group the settings.' },
  },
});

/**
 * Returns the JSON Schema 2020-12 of a manifest, for editors. What is invalid for the schema is an error for the validator too, which
 * checks much more. The only exception is an unknown field at the top level, which the validator ignores.
 * @param address URL of this schema; becomes its `$id`
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
    // The validator does not check these two fields.
    properties: { $schema: loosen(dialect as Json), ...fields, author: loosen(author as Json) },
    additionalProperties: false,
    $defs: {
      ...definitions,
      Contributes: withSections(definitions.Contributes as Json),
      Setting: loosen(Setting as Json),
      UnknownField: UNKNOWN_FIELD,
    },
  };
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
