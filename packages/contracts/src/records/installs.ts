import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';

const Day = z.iso.date().describe('A day in UTC: `2026-03-01`.');

/** The days of a chart. */
export const InstallsQuery = named.object('InstallsQuery', {
  from: Day.optional().describe(
    `The first day; by default, the chart has ${LIMITS.installs.days.default} days.`,
  ),
  to: Day.optional().describe('The last day; today by default.'),
});
export type InstallsQuery = z.infer<typeof InstallsQuery>;

const Counts = {
  installs: z.int().min(0).describe('Installations that fetched the app for the first time.'),
  updates: z.int().min(0).describe('Installations that had the app and fetched this version on that day.'),
};

/** How often an app was installed, day by day. */
export const InstallChart = named.object('InstallChart', {
  appId: z.string(),
  installs: z.int().min(0).describe('Installations since the app was first published.'),
  from: Day,
  to: Day,
  versions: z.array(z.string()).describe('Versions that were fetched in these days, newest first.'),
  days: z
    .array(
      z.object({
        day: Day,
        ...Counts,
        versions: z
          .array(z.object({ version: z.string(), ...Counts }))
          .describe('Versions that were fetched on that day.'),
      }),
    )
    .describe('Every day from the first to the last, including days without installs.'),
});
export type InstallChart = z.infer<typeof InstallChart>;
