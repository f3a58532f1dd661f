import { expect, it } from 'vitest';
import { masked } from '../../src/calls/create-call.ts';

const TOKENS = [
  'Bearer abcdefgh12345',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'sk-proj-abcdefghijklmnop',
  'svcp_0123456789abcdefghijABCDEFGHIJKLMNO',
  'k7Qm2ZxT9wLr4VbN8sPd1HfJ6cYg3UaE',
];

it.each(TOKENS)('masks a value that looks like a token: %s', (token) => {
  for (const value of [token, `It is ${token}, said the server.`, { note: [token] }, { [token]: 1 }])
    expect(masked(value)).not.toContain(token.split(' ').at(-1));
});

it.each(['password', 'access_token', 'clientSecret', 'Authorization', 'api-key', 'cookie'])(
  'masks the value of a field with a secret name: %s',
  (name) => {
    expect(masked({ deep: [{ [name]: 'hunter2' }] })).toBe(`{"deep":[{"${name}":"[masked]"}]}`);
  },
);

it('leaves other values readable', () => {
  expect(masked({ note: 'n-1', count: 2, on: true, none: null })).toBe(
    '{"note":"n-1","count":2,"on":true,"none":null}',
  );
});

it('returns one short line without control characters', () => {
  const line = masked([
    'a\nb\u001b[31m\u202e',
    'x '.repeat(1_000_000),
    ...Array.from({ length: 100 }, () => 'more'),
  ]);
  expect(line).not.toMatch(/\p{C}/u);
  expect(line.length).toBeLessThanOrEqual(600);
});

it('leaves no part of a token where a text is truncated', () => {
  const [token = ''] = TOKENS.slice(-1);
  const long = `${`${token} `.repeat(48)}${token}`;
  expect(masked(long.slice(0, 1_590) + token)).not.toMatch(/k7Qm/);
});
