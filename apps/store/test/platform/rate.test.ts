import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../src/platform/api-error.ts';
import type { RateLimitStore } from '../../src/platform/rate.ts';
import { assertWithinLimit, consume, count, quotaOf, type Rate } from '../../src/platform/rate.ts';

const RATE: Rate = { what: 'tries', limit: 3, windowMs: 60_000 };

/** An in-memory RateLimitStore, and a clock that only moves when a test advances it. */
function counted() {
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  let kept: { subject: string; at: string }[] = [];
  const rateLimits: RateLimitStore = {
    within: async (subject, ms, from) =>
      kept
        .filter((mark) => mark.subject === subject && Date.parse(mark.at) >= from.getTime() - ms)
        .map(({ at }) => at),
    async add(subject, at, purgeBefore) {
      kept = [...kept.filter((mark) => mark.subject !== subject || mark.at >= purgeBefore), { subject, at }];
    },
    async clear(subject) {
      kept = kept.filter((mark) => mark.subject !== subject);
    },
    async purgeBefore(time) {
      kept = kept.filter(({ at }) => at >= time);
    },
  };
  return {
    deps: { rateLimits, clock: () => new Date(now) },
    advance: (ms: number) => {
      now += ms;
    },
    kept: () => kept.length,
  };
}

const outcome = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'taken',
    ({ code, extras }: ApiError) => `${code} ${extras.retryAfter}`,
  );

describe('a rate limit', () => {
  it('allows its quota, returns the remaining one, and refuses with retryAfter', async () => {
    const { deps, advance } = counted();
    expect(await consume(deps, RATE, 'a')).toEqual({
      name: 'tries',
      limit: 3,
      windowSeconds: 60,
      remaining: 2,
      resetSeconds: 60,
    });
    advance(10_500);
    expect(await consume(deps, RATE, 'a')).toMatchObject({ remaining: 1, resetSeconds: 50 });
    expect(await consume(deps, RATE, 'a')).toMatchObject({ remaining: 0 });
    expect(await outcome(consume(deps, RATE, 'a'))).toBe('rate_limited 50');
    await expect(consume(deps, RATE, 'a')).rejects.toThrow(
      'More than 3 tries in 1 minutes: try again in 50 seconds.',
    );
  });

  it('is separate for each subject', async () => {
    const { deps } = counted();
    for (let n = 0; n < 3; n += 1) await consume(deps, RATE, 'a');
    expect(await outcome(consume(deps, RATE, 'a'))).toMatch('rate_limited');
    expect(await outcome(consume(deps, RATE, 'b'))).toBe('taken');
  });

  it('does not count refused attempts', async () => {
    const { deps, advance, kept } = counted();
    for (let n = 0; n < 10; n += 1) await outcome(consume(deps, RATE, 'a'));
    expect(kept()).toBe(3);
    advance(60_001);
    expect(await outcome(consume(deps, RATE, 'a'))).toBe('taken');
    expect(kept()).toBe(1);
  });

  it('can be checked without being consumed, and consumed without a check', async () => {
    const { deps, kept } = counted();
    for (let n = 0; n < 5; n += 1) await assertWithinLimit(deps, RATE, 'a');
    expect(kept()).toBe(0);
    for (let n = 0; n < 5; n += 1) await count(deps, RATE, 'a');
    expect(kept()).toBe(5);
    expect(await outcome(assertWithinLimit(deps, RATE, 'a'))).toBe('rate_limited 60');
  });

  it('reports at least one second to wait, and no negative quota', () => {
    const now = new Date('2026-03-01T12:01:00.000Z');
    const rateLimits = Array(5).fill('2026-03-01T12:00:00.000Z');
    expect(quotaOf(RATE, rateLimits, now)).toEqual({
      name: 'tries',
      limit: 3,
      windowSeconds: 60,
      remaining: 0,
      resetSeconds: 1,
    });
  });

  it('allows no more than its limit in any window', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 40 }), async (pauses) => {
        const { deps, advance } = counted();
        const taken: number[] = [];
        for (const pause of pauses) {
          advance(pause);
          if ((await outcome(consume(deps, RATE, 'a'))) === 'taken') taken.push(deps.clock().getTime());
        }
        for (const at of taken) {
          expect(
            taken.filter((other) => other >= at && other < at + RATE.windowMs).length,
          ).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
