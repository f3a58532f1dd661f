import type { InstallChart } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';

const DAY_MS = 24 * 60 * 60_000;

/** Maximum number of days in a chart, as in the store. */
export const MAX_DAYS = LIMITS.installs.days.max;

/** The periods that a user can choose, in days. */
export const PERIODS = [30, 90, MAX_DAYS] as const;

type Sums = { installs: number; updates: number };

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * The request for the install chart of an app. It names both ends: with one alone, a clock that is wrong by a day would
 * request more days than allowed.
 * @param days number of days, the last of which is today, in UTC
 */
export const chartRequest = (params: { slug: string; appId: string }, days: number, now = Date.now()) =>
  apiRequest('GET /api/publishers/:slug/apps/:appId/installs', {
    params,
    query: { from: dayAt(now - (days - 1) * DAY_MS), to: dayAt(now) },
  });

/** Sums up the installs and updates of a version over a chart. */
export function ofVersion({ days }: InstallChart, version: string): Sums {
  const sums = { installs: 0, updates: 0 };
  for (const entry of days.flatMap((day) => day.versions)) {
    if (entry.version !== version) continue;
    sums.installs += entry.installs;
    sums.updates += entry.updates;
  }
  return sums;
}

/** Sums up each version that was downloaded in these days, newest first. */
export const perVersion = (chart: InstallChart): (Sums & { version: string })[] =>
  chart.versions.map((version) => ({ version, ...ofVersion(chart, version) }));
