import { expect, it } from 'vitest';
import { causesOf } from '../src/causes.ts';

it('lists an error and its causes, at most eight', () => {
  let error: unknown;
  for (let n = 9; n > 0; n -= 1) error = new Error(String(n), { cause: error });
  expect(causesOf(error).map(({ message }) => message)).toEqual([...'12345678']);
});

it('ends in a circle of causes', () => {
  const error = new Error('round');
  error.cause = error;
  expect(causesOf(error)).toHaveLength(8);
});

it.each([undefined, null, 'text', { cause: new Error('hidden') }])('finds none in %j', (value) => {
  expect(causesOf(value)).toEqual([]);
});
