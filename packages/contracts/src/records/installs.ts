import { z } from 'zod';
import { LIMITS } from '../limits.ts';

const Day = z.iso.date().describe('A day in UTC: `2026-03-01`.');

/** Which days of a chart. */
export const InstallsQuery = z
  .object({
    from: Day.optional().describe(
      `The first day; ${LIMITS.installs.days.usual} days with \`to\` when left out.`,
    ),
    to: Day.optional().describe('The last day; today when left out.'),
  })
  .meta({ id: 'InstallsQuery' });
export type InstallsQuery = z.infer<typeof InstallsQuery>;

const Counts = {
  installs: z.int().min(0).describe('Installations that fetched the app for the first time.'),
  updates: z.int().min(0).describe('Installations that had the app, and fetched this version on that day.'),
};

/** How often an app was installed, day by day. */
export const InstallChart = z
  .object({
    appId: z.string(),
    installs: z.int().min(0).describe('Installations since the app is there.'),
    from: Day,
    to: Day,
    versions: z.array(z.string()).describe('Those that were fetched in these days, newest first.'),
    days: z
      .array(
        z.object({
          day: Day,
          ...Counts,
          versions: z.array(z.object({ version: z.string(), ...Counts })).describe('Those fetched that day.'),
        }),
      )
      .describe('Every day from the first to the last, also when nothing happened.'),
  })
  .meta({ id: 'InstallChart' });
export type InstallChart = z.infer<typeof InstallChart>;
