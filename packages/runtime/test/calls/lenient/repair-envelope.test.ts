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
  ['that is a number', 7, { code: -32_000, message: '7' }],
])('an error %s is read with its words alone', (_what, given, expected) =>
  expect(error(given)).toEqual(fixed(expected)),
);

it('a message that needs no repair is the same object', () => {
  const whole = fixed({ code: 5, message: 'Archived.', data: 1 });
  expect(repairEnvelope(whole, () => [])).toBe(whole);
  expect(repairEnvelope('text', () => [])).toBe('text');
});

it.each([[[]], [[1, 2]]])(
  'an answer without an id, while %j wait, is not given to one of them',
  (waiting) => {
    const answer = { jsonrpc: '2.0', result: {} };
    expect(repairEnvelope(answer, () => waiting)).toBe(answer);
  },
);
