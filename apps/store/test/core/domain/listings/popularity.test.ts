import { describe, expect, it } from 'vitest';
import { popularity, weightedRating } from '../../../../src/core/domain/listings/popularity.ts';

describe('the popularity of an app', () => {
  it('rates one review with five stars lower than a thousand with 4.5 stars on average', () => {
    expect(weightedRating({ average: 5, count: 1 })).toBeLessThan(
      weightedRating({ average: 4.5, count: 1_000 }),
    );
    expect(weightedRating({ average: 0, count: 0 })).toBe(3.5);
  });

  it('is between 0 and 1, and grows with installs and with stars', () => {
    const at = (installs: number, average: number, count: number) =>
      popularity({ installs, rating: { average, count } });
    const rising = [
      at(0, 1, 1e9),
      at(0, 0, 0),
      at(10, 0, 0),
      at(1_000, 0, 0),
      at(1_000, 5, 100),
      at(1e12, 5, 1e12),
    ];
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(new Set(rising).size).toBe(rising.length);
    expect(rising[0]).toBeGreaterThanOrEqual(0);
    expect(rising.at(-1)).toBeLessThanOrEqual(1);
  });
});
