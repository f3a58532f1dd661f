import type { InstallChart } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';

const DAY_MS = 24 * 60 * 60_000;

/** Days of a chart at most, as the store draws it. */
export const LONGEST = LIMITS.installs.days.most;

/** How many days a chart may have. */
export const PERIODS = [30, 90, LONGEST] as const;

type Sums = { installs: number; updates: number };

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Where the chart of an app is asked for. Both its ends are named: with one alone, a clock that is wrong by a day would
 * ask for more days than there may be.
 * @param ownPath of the app, for those who act for its publisher
 * @param days so many, today being the last, in UTC
 */
export function pathOfChart(ownPath: string, days: number, now = Date.now()): string {
  const query = new URLSearchParams({ from: dayAt(now - (days - 1) * DAY_MS), to: dayAt(now) });
  return `${ownPath}/installs?${query}`;
}

/** What happened with a version in all the days of a chart. */
export function ofVersion({ days }: InstallChart, version: string): Sums {
  const sums = { installs: 0, updates: 0 };
  for (const one of days.flatMap((day) => day.versions)) {
    if (one.version !== version) continue;
    sums.installs += one.installs;
    sums.updates += one.updates;
  }
  return sums;
}

/** The same of each version that was fetched in these days, newest first. */
export const perVersion = (chart: InstallChart): (Sums & { version: string })[] =>
  chart.versions.map((version) => ({ version, ...ofVersion(chart, version) }));
