import { expect, it } from 'vitest';
import { plainMessage } from '../../src/gateway/plain-message.ts';

it.each<[unknown, unknown]>([
  [{ id: 1, params: null }, { id: 1 }],
  [
    { id: null, params: { cursor: null } },
    { id: null, params: {} },
  ],
  [
    { params: { name: 'a', arguments: { b: null }, _meta: { progressToken: null, c: 1 } } },
    { params: { name: 'a', arguments: { b: null }, _meta: { c: 1 } } },
  ],
  [{ params: { arguments: null, _meta: null } }, { params: {} }],
  [{ result: { action: 'cancel', content: null } }, { result: { action: 'cancel' } }],
  [[1], [1]],
  ['text', 'text'],
])('reads %j', (given, expected) => expect(plainMessage(given)).toStrictEqual(expected));
