import { type InstallChart, type InstallsQuery, LIMITS } from '@svc/contracts';
import type { PersonCaller } from '../../../domain/identity/caller.ts';
import type { Parts } from '../../../domain/parts/parts.ts';
import { byVersionDescending } from '../../../domain/versions/version-record.ts';
import { ApiError, invalidField } from '../../../platform/api-error.ts';
import type { DayCount, InstallStore } from '../../installs/install-store.ts';
import { unknownToCaller } from '../publisher-detail.ts';

export type ChartDeps = Pick<Parts, 'appStats' | 'apps' | 'clock'> & { installs: InstallStore };

const DAY_MS = 24 * 3_600_000;

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const invalidDays = (field: string, message: string): ApiError =>
  invalidField(field, message, 'The request is malformed: see issues.');

/**
 * The days of a chart, from the first to the last.
 * @throws ApiError invalid_request when the last day is before the first, or there are too many
 */
export function daysOf({ from, to }: InstallsQuery, now: Date): string[] {
  const { default: usual, max } = LIMITS.installs.days;
  const last = to === undefined ? now.getTime() : Date.parse(to);
  const lastDay = Date.parse(dayAt(last));
  const firstDay = from === undefined ? lastDay - (usual - 1) * DAY_MS : Date.parse(from);
  const count = (lastDay - firstDay) / DAY_MS + 1;
  if (count < 1) throw invalidDays('from', 'must not be after the last day');
  if (count > max) throw invalidDays('from', `must be at most ${max - 1} days before the last day`);
  return Array.from({ length: count }, (_, n) => dayAt(firstDay + n * DAY_MS));
}

const sumOf = (counts: readonly DayCount[], of: 'installs' | 'updates'): number =>
  counts.reduce((sum, count) => sum + count[of], 0);

/**
 * The installs and updates of an app, by day and version.
 * @throws ApiError not_found for an app of a publisher of which the caller is not a member; invalid_request
 */
export async function installChart(
  deps: ChartDeps,
  caller: PersonCaller,
  { slug, appId }: { slug: string; appId: string },
  query: InstallsQuery,
): Promise<InstallChart> {
  const days = daysOf(query, deps.clock());
  if (!caller.memberships.has(slug)) throw unknownToCaller(slug);
  const app = await deps.apps.find(appId);
  if (app?.publisher !== slug) throw new ApiError('not_found', `The publisher ${slug} has no app ${appId}.`);
  const [from = '', to = from] = [days.at(0), days.at(-1)];
  const counts = await deps.installs.countsOf(appId, from, to);
  const byDay = Map.groupBy(counts, ({ day }) => day);
  const versions = [...new Set(counts.map(({ version }) => version))].map((version) => ({ version }));
  return {
    appId,
    installs: (await deps.appStats.of(appId)).installs,
    from,
    to,
    versions: versions.sort(byVersionDescending).map(({ version }) => version),
    days: days.map((day) => {
      const ofDay = byDay.get(day) ?? [];
      return {
        day,
        installs: sumOf(ofDay, 'installs'),
        updates: sumOf(ofDay, 'updates'),
        versions: ofDay.map(({ version, installs, updates }) => ({ version, installs, updates })),
      };
    }),
  };
}
