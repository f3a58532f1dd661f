import { describe, expect, it } from 'vitest';
import { barsOf, everyDay } from '../../src/dashboard/day-bars.ts';

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
    const counts = [0, 1, 500, 1_000].map((count, index) => ({ day: `2026-03-0${index + 1}`, count }));
    const bars = barsOf(counts);
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
    expect(barsOf([{ day: '2026-03-01', count: 0 }])[0]).toMatchObject({ y: 100, height: 0 });
  });
});
