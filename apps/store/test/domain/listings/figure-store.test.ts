import { expect, it } from 'vitest';
import { ratingOf } from '../../../src/domain/listings/figure-store.ts';

it('averages the stars that were given', () => {
  expect(ratingOf([0, 0, 0, 0, 0])).toEqual({ average: 0, count: 0 });
  expect(ratingOf([1, 0, 0, 0, 1])).toEqual({ average: 3, count: 2 });
  expect(ratingOf([0, 0, 1, 2, 0])).toEqual({ average: 11 / 3, count: 3 });
});
