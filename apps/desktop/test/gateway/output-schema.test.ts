import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, it } from 'vitest';
import { asOffered, isCompilable, matches, underSchema } from '../../src/gateway/output-schema.ts';

const a = (schema: unknown) => ({ type: 'object', properties: { a: schema } });

it.each<[boolean, object]>([
  [true, { type: 'object' }],
  [true, { ...a({ $ref: '#/$defs/x~1y' }), $defs: { 'x/y': { type: ['string', 'null'] } } }],
  [true, a({ type: 'object', properties: { type: {}, required: { enum: [5] }, pattern: true } })],
  [true, a({ type: 'array', items: { anyOf: [{ type: 'string' }, true] }, minItems: 1 })],
  [true, a({ type: 'string', nullable: true })],
  [false, a({ type: 'string', pattern: '^(a+)+$' })],
  [
    true,
    {
      type: 'object',
      additionalProperties: false,
      'x-own': 1,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    },
  ],
  [false, a({ $ref: '#/$defs/none' })],
  [false, a({ type: 'any' })],
  [false, a({ type: 'string', required: true })],
  [false, { type: 'object', required: {} }],
  [false, a({ enum: [] })],
  [false, a({ enum: null })],
  [false, a({ type: 'string', pattern: '(' })],
  [false, a({ type: 'object', properties: [] })],
  [false, a({ nullable: true })],
  [false, a({ type: 'number', exclusiveMinimum: true })],
  [false, a({ type: 'string', minLength: '1' })],
  [false, a({ type: 'array', items: { anyOf: [] } })],
  [false, a(null)],
])('is %s of %j, as a client of MCP compiles it', (expected, schema) => {
  const compile = () => new AjvJsonSchemaValidator().getValidator(schema);
  expect(isCompilable(schema)).toBe(expected);
  if (expected) expect(compile).not.toThrow();
});

/** Keywords of all drafts, and names that every object has. */
const KEYWORDS =
  `$id id $schema $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $vocabulary $comment $defs definitions type enum const
  required properties patternProperties additionalProperties propertyNames minProperties dependencies dependentRequired dependentSchemas
  unevaluatedProperties items prefixItems additionalItems contains minContains uniqueItems maxItems allOf anyOf oneOf not if then else minLength
  pattern contentMediaType minimum exclusiveMaximum multipleOf nullable discriminator title default examples readOnly $async $data constructor
  toString __proto__ x-own unknown`.split(/\s+/);

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    '',
    '(',
    'x',
    '#',
    '#/',
    '#/__proto__',
    '#/constructor',
    '#/properties',
    '#/properties/a',
    '#x',
  ],
  ...[
    'http://json-schema.org/draft-07/schema#',
    'string',
    [],
    [1],
    ['x'],
    ['string', 'null'],
    ['null', 'null'],
    [{}],
    [null],
  ],
  ...[
    {},
    { a: 1 },
    { a: {} },
    { a: null },
    { a: { type: 'x' } },
    { '(': {} },
    { $ref: '#' },
    { type: 'x' },
    { a: { id: 1 } },
  ],
];

it('says of no schema that a client of MCP can compile it which would hide all tools', () => {
  const hidden = KEYWORDS.flatMap((keyword) =>
    VALUES.flatMap((value) => {
      const schemas = [a({ [keyword]: value }), { ...a({ type: ['string', 'null'], [keyword]: value }) }];
      return schemas.filter(isCompilable).filter((schema) => {
        const validator = new AjvJsonSchemaValidator();
        try {
          // Two tools may have the same schema.
          for (const title of ['one', 'two']) validator.getValidator({ ...(schema as object), title });
          return false;
        } catch {
          return true;
        }
      });
    }),
  );
  expect(hidden).toEqual([]);
});

const n = { type: 'number' };
const SCHEMAS: readonly object[] = [
  ...[
    {},
    n,
    { type: ['integer', 'null'] },
    { type: 'string', nullable: true },
    { type: 'array' },
    { type: 'boolean' },
  ],
  ...[
    { enum: [1, 'a', { a: [1] }] },
    { const: null },
    { const: { a: 1 } },
    { not: n },
    { anyOf: [n, { minLength: 2 }] },
  ],
  ...[
    { oneOf: [n, { minimum: 1 }] },
    { allOf: [n, { maximum: 1 }] },
    { exclusiveMinimum: 1 },
    { exclusiveMaximum: 1 },
  ],
  ...[
    { if: n, else: false },
    JSON.parse('{ "if": { "type": "number" }, "then": { "maximum": 1 } }'),
    { multipleOf: 2 },
    { maxLength: 1 },
    { uniqueItems: true },
  ],
  ...[
    { items: n },
    { items: [n, false] },
    { items: [n], additionalItems: false },
    { contains: n },
    { minItems: 1 },
  ],
  ...[
    { maxItems: 1 },
    { required: ['a'] },

    { properties: { a: n } },
    { minProperties: 1 },
  ],
  ...[
    { additionalProperties: n },
    { properties: { a: true }, additionalProperties: false },
    { propertyNames: { maxLength: 1 } },
  ],
  ...[
    { maxProperties: 1 },
    { properties: { a: { $ref: '#' } } },
    { $ref: '#/$defs/a', $defs: { a: { items: n } } },
  ],
];
const PARTS = [
  null,
  true,
  0,
  1,
  2,
  1.5,
  -1,
  '',
  'a',
  'ab',
  '\u{1f600}',
  [],
  [1],
  [1, 1],
  ['a', 1],
  [[1], [1]],
];
const OBJECTS = [{}, { a: 1 }, { a: 'a' }, { a: [1] }, { ab: 1, a: 2 }, { a: { a: { a: 'x' } } }];

it.each(SCHEMAS)('matches %j as a client of MCP does', (schema) => {
  expect(isCompilable(schema)).toBe(true);
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  for (const value of [...PARTS, ...OBJECTS])
    expect([value, matches(schema, value)]).toEqual([value, validate(value).valid]);
});

const manyNames = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at]));

it.each([
  ['a reference to itself', { $ref: '#' }, {}],
  [
    'one that doubles at each level',
    {
      anyOf: [
        { items: { $ref: '#' }, maxItems: 0 },
        { items: { $ref: '#' }, minItems: 1, type: 'array' },
      ],
    },
    JSON.parse(`${'['.repeat(40)}1${']'.repeat(40)}`),
  ],
  ['many values', { enum: Array.from({ length: 300_000 }, (_, at) => at) }, null],
  // Each step reads a large value; in the end they would match.
  ...['uniqueItems', 'items'].map((name): [string, object, unknown] => [
    `many of ${name}`,
    {
      anyOf: [...Array(20_000).fill({ [name]: name === 'items' ? { const: 1 } : true, minItems: 1e9 }), true],
    },
    Array(2_000)
      .fill(1)
      .map((_, at) => (name === 'items' ? 1 : at)),
  ]),
  ['many texts', { anyOf: [...Array(20_000).fill({ minLength: 1e9 }), true] }, 'x'.repeat(200_000)],
  ['many names', { anyOf: [...Array(20_000).fill({ properties: {}, minProperties: 1e9 }), true] }, manyNames],
])('matches nothing under %s, and at once', (_what, schema, value) => {
  const wide = { type: 'array', items: schema };
  expect(matches(wide, Array(100).fill(value))).toBe(false);
});

it('offers no formats, and properties of that name', () => {
  const schema = { properties: { format: { type: 'string', format: 'uri' } }, required: ['format'] };
  expect(asOffered(schema)).toEqual({ properties: { format: { type: 'string' } }, required: ['format'] });
});

const said = (text: string) => ({ type: 'text' as const, text });
const SCHEMA = { type: 'object', properties: { a: n }, required: ['a'] };

it.each<[string, object | undefined, object, object, boolean]>([
  [
    'without a schema',
    undefined,
    { structuredContent: { a: 'x' } },
    { structuredContent: { a: 'x' } },
    false,
  ],
  ['that follows it', SCHEMA, { structuredContent: { a: 1 } }, { structuredContent: { a: 1 } }, false],
  ['of an error', SCHEMA, { isError: true }, { isError: true }, false],
  [
    'of an error with a structure of its own',
    SCHEMA,
    { isError: true, structuredContent: { b: 1 } },
    { isError: true, content: [said('no'), said('{"b":1}')] },
    false,
  ],
  ['in texts alone', SCHEMA, {}, { isError: true, content: [expect.anything(), said('no')] }, true],
  [
    'with another structure',
    SCHEMA,
    { structuredContent: { a: 'x' } },
    { isError: true, content: [expect.anything(), said('no'), said('{"a":"x"}')] },
    true,
  ],
  [
    'whose text is its structure',
    SCHEMA,
    { structuredContent: { a: 'x' }, content: [said('{"a":"x"}')] },
    { isError: true, content: [expect.anything(), said('{"a":"x"}')] },
    true,
  ],
])('gives agents a result %s', (_what, schema, answer, expected, isBroken) => {
  const content = [said('no')];
  expect(underSchema(schema, { content, ...answer })).toStrictEqual({
    result: { content, ...expected },
    isBroken,
  });
});

it('matches a large value that follows its schema', () => {
  const row = {
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 1 } },
    required: ['id', 'name'],
  };
  const schema = { type: 'object', properties: { rows: { type: 'array', items: row } }, required: ['rows'] };
  const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `Row ${id}` }));
  expect(matches(schema, { rows })).toBe(true);
});
