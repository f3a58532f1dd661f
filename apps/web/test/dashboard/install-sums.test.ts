import type { InstallChart } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { chartRequest, MAX_DAYS, ofVersion, perVersion } from '../../src/dashboard/install-sums.ts';

const of = (version: string, installs: number, updates: number) => ({ version, installs, updates });

const CHART: InstallChart = {
  appId: 'com.acme.notes',
  installs: 9,
  from: '2026-03-01',
  to: '2026-03-03',
  versions: ['1.10.0', '1.2.0'],
  days: [
    { day: '2026-03-01', installs: 3, updates: 0, versions: [of('1.2.0', 3, 0)] },
    { day: '2026-03-02', installs: 0, updates: 0, versions: [] },
    { day: '2026-03-03', installs: 3, updates: 2, versions: [of('1.2.0', 1, 0), of('1.10.0', 2, 2)] },
  ],
};

describe('the chart of installs', () => {
  it('is requested with both its ends, in UTC', () => {
    const now = Date.parse('2026-03-01T23:59:59.999Z');
    const path = (days: number) => chartRequest({ slug: 'acme', appId: 'com.acme.a' }, days, now).path;
    const chart = '/api/publishers/acme/apps/com.acme.a/installs';
    expect(path(1)).toBe(`${chart}?from=2026-03-01&to=2026-03-01`);
    expect(path(30)).toBe(`${chart}?from=2026-01-31&to=2026-03-01`);
    const longest = new URLSearchParams(path(MAX_DAYS).split('?')[1]);
    const days = (Date.parse(longest.get('to') ?? '') - Date.parse(longest.get('from') ?? '')) / 86_400_000;
    expect(days + 1).toBe(366);
  });

  it('is summed up for each version', () => {
    expect(perVersion(CHART)).toEqual([of('1.10.0', 2, 2), of('1.2.0', 4, 0)]);
    expect(ofVersion(CHART, '1.2.0')).toEqual({ installs: 4, updates: 0 });
    expect(ofVersion(CHART, '9.9.9')).toEqual({ installs: 0, updates: 0 });
  });
});
