import { expect, it } from 'vitest';
import { pauseBefore } from '../../src/platform/pause-before.ts';

it('waits longer after each failure, up to a bound, at least as long as the store asks, and not in step with others', () => {
  const pauses = (failures: number, retryAfter = 0) =>
    [0, 0.5, 1].map((chance) => pauseBefore({ everyMs: 180_000, failures, retryAfter, chance }) / 60_000);
  expect(pauses(0)).toEqual([2.4, 3, 3.6]);
  expect([1, 2, 3, 4, 100].map((failures) => pauses(failures)[1])).toEqual([5, 10, 20, 30, 30]);
  expect(pauses(1, 600)).toEqual([10, 11, 12]);
  expect(pauses(1, 86_400)).toEqual([60, 66, 72]);
  for (const wrong of [-5, Number.NaN]) expect(pauses(1, wrong)).toEqual([4, 5, 6]);
});
