import { expect, it } from 'vitest';
import { createTokenBucket } from '../../src/platform/token-bucket.ts';

it('allows a burst, and then a number per second, even if the clock goes backwards', () => {
  let time = 0;
  const allowance = createTokenBucket({ burst: 2, perSecond: 1 }, () => time);
  const take = (): boolean => allowance.take();
  expect([take(), take(), take()]).toEqual([true, true, false]);
  time = 999;
  expect(take()).toBe(false);
  time = 1_000;
  expect([take(), take()]).toEqual([true, false]);
  time = -1_000_000;
  expect(take()).toBe(false);
  time = 1_000_000;
  expect([take(), take(), take()]).toEqual([true, true, false]);
});
