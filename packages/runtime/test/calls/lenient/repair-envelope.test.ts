import { expect, it } from 'vitest';
import { repairEnvelope } from '../../../src/calls/lenient/repair-envelope.ts';

const error = (value: unknown) => repairEnvelope({ jsonrpc: '2.0', id: 1, error: value }, () => []);
const fixed = (value: object) => ({ jsonrpc: '2.0', id: 1, error: value });

it.each<[string, unknown, object]>([
  ['a text', 'Archived.', { code: -32_000, message: 'Archived.' }],
  ['without a code', { message: 'Archived.' }, { code: -32_000, message: 'Archived.' }],
  ['with its words as detail', { code: 5, detail: 'Archived.' }, { code: 5, message: 'Archived.' }],
  ['with its words as description', { description: 'Archived.' }, { code: -32_000, message: 'Archived.' }],
  [
    'with its words in its data',
    { code: 5, data: { message: 'Archived.' } },
    { code: 5, message: 'Archived.', data: { message: 'Archived.' } },
  ],
  ['without words', { code: 5 }, { code: 5, message: 'The server gives no reason.' }],
  [
    'whose words are null',
    { code: 5, message: null, data: null },
    { code: 5, message: 'The server gives no reason.', data: null },
  ],
  ['that is a number', 7, { code: -32_000, message: '7' }],
])('an error %s is read with its words alone', (_what, given, expected) =>
  expect(error(given)).toStrictEqual(fixed(expected)),
);

it.each<[string, unknown]>([
  ['an error', fixed({ code: 5, message: 'Archived.', data: 1 })],
  ['a result', { jsonrpc: '2.0', id: 'a', result: { _meta: { a: 1 }, content: [] } }],
  ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: {}, a: 1 } }],
  ['a text', 'text'],
  ['an object that is no message', { jsonrpc: '2.0', id: 1, method: 5, took: 5 }],
])('%s that needs no repair is the same object', (_what, whole) => {
  expect(repairEnvelope(whole, () => [])).toBe(whole);
});

it.each<[string, object, object]>([
  ['_meta that is null', { _meta: null, a: 1 }, { a: 1 }],
  ['_meta that is a list', { _meta: [], a: 1 }, { a: 1 }],
  ['a field in _meta that is null', { _meta: { b: null, c: 1 }, a: 1 }, { _meta: { c: 1 }, a: 1 }],
])('a result, a request and a notification are read without %s', (_what, given, expected) => {
  for (const message of [
    { id: 'a', result: given },
    { id: 0, method: 'm', params: given },
    { method: 'm', params: given },
  ])
    expect(repairEnvelope({ jsonrpc: '2.0', ...message }, () => [])).toStrictEqual({
      jsonrpc: '2.0',
      ...message,
      ...('result' in message ? { result: expected } : { params: expected }),
    });
});

it.each<[string, object, object]>([
  ['a result that is null', { id: 1, result: null }, { id: 1, result: {} }],
  ['a result that is a number', { id: 1, result: 42 }, { id: 1, result: { content: '42' } }],
  ['a result that is a boolean', { id: 1, result: true }, { id: 1, result: { content: 'true' } }],
  ['a request with params null', { id: 1, method: 'm', params: null }, { id: 1, method: 'm' }],
  ['a request with more fields', { id: 1, method: 'm', error: null, took: 5 }, { id: 1, method: 'm' }],
  ['a notification with an id that is null', { id: null, method: 'm' }, { method: 'm' }],
])('%s is read', (_what, given, expected) => {
  expect(repairEnvelope(given, () => [])).toStrictEqual({ jsonrpc: '2.0', ...expected });
});

it.each([[[]], [[1, 2]]])(
  'an answer without an id, while %j wait, is not given to one of them',
  (waiting) => {
    const answer = { jsonrpc: '2.0', result: {} };
    expect(repairEnvelope(answer, () => waiting)).toBe(answer);
  },
);

it.each([{}, { id: null }, { id: {} }])('an answer with %j is given to the only request that waits', (id) => {
  expect(repairEnvelope({ ...id, result: {} }, () => [7])).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
});
