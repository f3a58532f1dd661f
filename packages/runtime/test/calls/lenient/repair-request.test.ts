import { specTypeSchemas } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { repairParams } from '../../../src/calls/lenient/repair-request.ts';

const TEXT = { type: 'string' };
const STATUS = { type: 'string', enum: ['open', 'done'], title: 'Status' };

/** Fields as generators of schemas write them, and as MCP's forms have them. */
const FIELDS: readonly (readonly [string, unknown, object])[] = [
  ['a reference', { $ref: '#/$defs/Status', description: 'd' }, { ...STATUS, description: 'd' }],
  ['a reference within allOf', { allOf: [{ $ref: '#/$defs/Status' }] }, STATUS],
  ['a reference that is optional', { anyOf: [{ $ref: '#/$defs/Status' }, { type: 'null' }] }, STATUS],
  ['a reference to nothing', { $ref: '#/$defs/Other', title: 'T' }, { ...TEXT, title: 'T' }],
  [
    'an optional text',
    { anyOf: [TEXT, { type: 'null' }], default: null, title: 'T' },
    { ...TEXT, title: 'T' },
  ],
  ['a type or null', { type: ['null', 'integer'], minimum: 1 }, { type: 'integer', minimum: 1 }],
  [
    'options without a type',
    { oneOf: [{ const: 'a', title: 'A' }] },
    { ...TEXT, oneOf: [{ const: 'a', title: 'A' }] },
  ],
  [
    'options with a title',
    { title: 'T', oneOf: [{ const: 'a', title: 'A' }] },
    { ...TEXT, title: 'T', oneOf: [{ const: 'a', title: 'A' }] },
  ],
  ['one value', { const: 'a' }, { ...TEXT, enum: ['a'] }],
  ['options with null', { enum: ['a', null] }, { ...TEXT, enum: ['a'] }],
  ['nothing', {}, TEXT],
  ['no schema', null, TEXT],
  ['nulls', { ...TEXT, title: null, description: null, minLength: null }, TEXT],
  ['another format', { ...TEXT, format: 'password' }, TEXT],
  ['a format', { ...TEXT, format: 'date' }, { ...TEXT, format: 'date' }],
  ['a default of another type', { type: 'boolean', default: 'true' }, { type: 'boolean' }],
  ['a list as the default of a text', { ...TEXT, default: ['a'] }, TEXT],
  [
    'a text as the default of several options',
    { type: 'array', items: { type: 'string', enum: ['a'] }, default: 'a' },
    { type: 'array', items: { type: 'string', enum: ['a'] } },
  ],
  ['a default', { type: 'integer', default: 5 }, { type: 'integer', default: 5 }],
  [
    'several options',
    { type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a'], minItems: '1' },
    { type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a'] },
  ],
  [
    'an option without a title',
    { oneOf: [{ const: 'a' }] },
    { ...TEXT, oneOf: [{ const: 'a', title: 'a' }] },
  ],
  [
    'several options of a reference',
    { type: 'array', items: { $ref: '#/$defs/Status' } },
    { type: 'array', items: { type: 'string', enum: ['open', 'done'] } },
  ],
  [
    'several options as alternatives',
    { type: 'array', items: { oneOf: [{ const: 'a', title: null }] } },
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'a' }] } },
  ],
  ['a list of texts', { type: 'array', items: TEXT }, { type: 'array', items: { ...TEXT, enum: [] } }],
  ['a list of anything', { type: 'array' }, { type: 'array', items: { ...TEXT, enum: [] } }],
];

it.each(FIELDS)('reads a form with %s', (_what, field, expected) => {
  for (const defs of ['$defs', 'definitions']) {
    const requestedSchema = { properties: { s: field }, required: null, [defs]: { Status: STATUS } };
    const params = repairParams('elicitation/create', { message: 'm', mode: null, requestedSchema });
    const form = { type: 'object', properties: { s: expected }, required: [] };
    expect(params).toEqual({ message: 'm', requestedSchema: form });
    expect(specTypeSchemas.ElicitRequestFormParams['~standard'].validate(params)).not.toHaveProperty(
      'issues',
    );
  }
});

it.each([{}, { type: 'object' }, { properties: [] }])('reads the form %j', (requestedSchema) => {
  expect(repairParams('elicitation/create', { message: null, requestedSchema })).toEqual({
    message: '',
    requestedSchema: { type: 'object', properties: {}, required: [] },
  });
});

it('keeps what a form says of itself, all alternatives, and the names of required fields', () => {
  const either = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
  const requestedSchema = { title: 'T', properties: { s: either }, required: ['s', 5, null] };
  expect(repairParams('elicitation/create', { message: 'm', requestedSchema })).toEqual({
    message: 'm',
    requestedSchema: {
      ...{ title: 'T', type: 'object', required: ['s'] },
      properties: { s: { type: 'string', oneOf: either.anyOf } },
    },
  });
});

it('reads a form with a list of numbers as it is, and a page without an id', () => {
  const properties = { n: { type: 'array', items: { type: 'integer' } } };
  expect(repairParams('elicitation/create', { requestedSchema: { properties } })).toMatchObject({
    requestedSchema: { properties },
  });
  const page = { mode: 'url', url: 'https://a.example/', message: 'm' };
  const { message: _message, ...wordless } = page;
  expect(repairParams('elicitation/create', wordless)).toEqual({ ...page, elicitationId: '', message: '' });
  const params = repairParams('elicitation/create', { ...page, elicitationId: null });
  expect(params).toEqual({ ...page, elicitationId: '' });
  expect(specTypeSchemas.ElicitRequestURLParams['~standard'].validate(params)).not.toHaveProperty('issues');
});

it('gives a request for the model a limit, and leaves other requests as they are', () => {
  expect(repairParams('sampling/createMessage', { messages: [], systemPrompt: null })).toEqual({
    messages: [],
    maxTokens: 1_024,
  });
  expect(repairParams('sampling/createMessage', { maxTokens: 5 })).toEqual({ maxTokens: 5 });
  for (const params of [
    { mode: 'other', url: null },
    { message: null },
    { requestedSchema: null },
    null,
    'x',
  ])
    expect(repairParams('elicitation/create', params)).toBe(params);
  for (const params of [{ a: null }, { mode: 'url', a: null }, { requestedSchema: {}, a: null }])
    expect(repairParams('notifications/progress', params)).toBe(params);
});
