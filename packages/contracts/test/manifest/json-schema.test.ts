import { describe, expect, it } from 'vitest';
import { manifestJsonSchema } from '../../src/index.ts';

type Json = Record<string, unknown>;

const ADDRESS = 'https://store.example.com/schemas/app-manifest-v3.json';
const schema = manifestJsonSchema(ADDRESS) as Json & { $defs: Record<string, Json> };

/** Every field in every `properties` of the document. */
function* fieldsIn(value: unknown, at: string): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key === 'properties') {
      for (const [name, field] of Object.entries(inside as Json)) yield [`${at}/${name}`, field as Json];
    }
    yield* fieldsIn(inside, `${at}/${key}`);
  }
}

const described = (field: Json): unknown => {
  const name = typeof field.$ref === 'string' ? field.$ref.replace('#/$defs/', '') : undefined;
  return field.description ?? (name === undefined ? undefined : schema.$defs[name]?.description);
};

describe('manifestJsonSchema', () => {
  it('has the dialect and its own URL', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: ADDRESS,
      additionalProperties: false,
    });
  });

  it('describes every field', () => {
    const fields = [...fieldsIn(schema, '')];
    expect(fields.length).toBeGreaterThan(70);
    expect(fields.filter(([, field]) => typeof described(field) !== 'string')).toEqual([]);
  });

  it('marks unknown fields below the top level', () => {
    const open = Object.entries(schema.$defs).filter(([, { properties }]) => properties !== undefined);
    for (const [name, { additionalProperties }] of open) {
      expect([name, additionalProperties]).toEqual([
        name,
        name === 'Setting' ? undefined : { $ref: '#/$defs/UnknownField' },
      ]);
    }
  });
});
