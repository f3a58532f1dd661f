import { describe, expect, it } from 'vitest';
import { axisEnd, barsOf, everyDay } from '../../src/dashboard/day-bars.ts';

describe('the days of a chart', () => {
  it('have no gap, across months and daylight saving time', () => {
    const days = everyDay([
      { day: '2026-03-28', count: 3 },
      { day: '2026-04-02', count: 1 },
    ]);
    expect(days.map(({ day, count }) => `${day} ${count}`)).toEqual([
      '2026-03-28 3',
      '2026-03-29 0',
      '2026-03-30 0',
      '2026-03-31 0',
      '2026-04-01 0',
      '2026-04-02 1',
    ]);
    expect(everyDay([])).toEqual([]);
  });

  it('are scaled to the largest count, with a minimum height', () => {
    const bars = barsOf([0, 1, 500, 1_000]);
    expect(bars.map(({ y, height }) => [y, height])).toEqual([
      [100, 0],
      [99, 1],
      [50, 50],
      [0, 100],
    ]);
    expect(bars.map(({ x }) => x)).toEqual([2.5, 27.5, 52.5, 77.5]);
    expect(bars[0]?.width).toBe(20);
  });

  it('are flat when all counts are 0', () => {
    expect(barsOf([0])[0]).toMatchObject({ y: 100, height: 0 });
  });

  it.each([
    [0, 2],
    [2, 2],
    [3, 5],
    [7, 10],
    [40, 50],
    [101, 200],
    [1_000, 1_000],
  ])('have an axis for %d that ends at %d', (max, end) => {
    expect(axisEnd(max)).toBe(end);
    expect(barsOf([max], end)[0]?.height).toBeLessThanOrEqual(100);
  });
});
