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

const MINUTE_MS = 60_000;
const CLIENTS = 3_000;

/** The times of the checks of a client of a store that is off from the start until `back`, and for an hour after that. */
function checksOf(back: number, chance: () => number): number[] {
  const times: number[] = [];
  let failures = 0;
  for (let now = 0; now < back + 60 * MINUTE_MS; ) {
    failures = now < back ? failures + 1 : 0;
    if (now >= back) times.push(now - back);
    now += pauseBefore({ everyMs: 180_000, failures, retryAfter: 0, chance: chance() });
  }
  return times;
}

it('3,000 clients that lost a store in one moment come back spread over half an hour, after a day as after an hour', () => {
  let state = 61;
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (const hours of [1, 24]) {
    const checks = Array.from({ length: CLIENTS }, () => checksOf(hours * 60 * MINUTE_MS, chance));
    const firsts = checks.map(([first = Number.POSITIVE_INFINITY]) => first);
    expect(Math.max(...firsts)).toBeLessThan(36 * MINUTE_MS);
    const busiest = (times: number[]) =>
      Math.max(
        ...Map.groupBy(times, (at) => Math.floor(at / MINUTE_MS))
          .values()
          .map((all) => all.length),
      );
    // Of a spread that is even, 100 a minute come back; the load of every day is 1,000.
    expect(busiest(firsts)).toBeLessThan(hours === 24 ? 200 : 400);
    expect(busiest(checks.flat())).toBeLessThan(1_250);
  }
});
