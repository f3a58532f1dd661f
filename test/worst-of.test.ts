import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, which the oldest Node runs
import { worstOf } from '../scripts/worst-of.mjs';

const job = (code: number, ms: number) => async () => {
  await sleep(ms);
  return code;
};

describe('steps side by side', () => {
  it.each([
    ['fails while others run', [job(0, 30), job(1, 1), job(0, 1)]],
    ['is the first to end', [job(2, 1), job(0, 30)]],
    ['is the last to end', [job(0, 1), job(0, 1), job(3, 30)]],
  ])('fail when one of them %s', async (_what, jobs) => {
    expect(await worstOf(jobs, 2)).toBeGreaterThan(0);
  });

  it('succeed when all steps succeed, or when there are none', async () => {
    expect(await worstOf([job(0, 1), job(0, 5)], 4)).toBe(0);
    expect(await worstOf([], 2)).toBe(0);
  });

  it('never exceed the concurrency limit', async () => {
    let now = 0;
    let most = 0;
    const counted = async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(2);
      now -= 1;
      return 0;
    };
    await worstOf(
      Array.from({ length: 9 }, () => counted),
      3,
    );
    expect(most).toBe(3);
  });
});
