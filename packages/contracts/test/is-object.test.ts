import { expect, it } from 'vitest';
import { isObject } from '../src/is-object.ts';

it('tells objects from the other values of JSON', () => {
  const values = [{}, { a: 1 }, Object.create(null), [], null, 'text', 1, true, undefined];
  expect(values.map(isObject)).toEqual([true, true, true, false, false, false, false, false, false]);
});
