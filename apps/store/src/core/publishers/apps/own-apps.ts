import {
  type InstallChart,
  type InstallsQuery,
  LIMITS,
  type OwnApp,
  type OwnApps,
  type OwnPageQuery,
  VERSION_STATES,
  type VersionState,
} from '@svc/contracts';
import { ApiError, invalidField } from '../../../platform/api-error.ts';
import { ById, pageOf } from '../../../platform/page-of.ts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { byVersionDescending } from '../../domain/versions/version-record.ts';
import type { DayCount, InstallStore } from '../../installs/install-store.ts';
import { unknownToCaller } from '../publisher-detail.ts';
import type { OwnAppRecord, OwnAppStore } from './own-app-store.ts';

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

export type OwnAppDeps = Pick<Parts, 'versions' | 'addresses' | 'clock'> & { ownApps: OwnAppStore };

/** Refuses callers who are not members of a publisher, with the same answer as for an unknown slug. */
function requireMembership({ memberships }: PersonCaller, slug: string): void {
  if (!memberships.has(slug)) throw unknownToCaller(slug);
}

/**
 * Finds an app of a publisher of which the caller is a member.
 * @throws ApiError not_found
 */
export async function requireOwnApp(
  { ownApps }: Pick<OwnAppDeps, 'ownApps'>,
  caller: PersonCaller,
  slug: string,
  appId: string,
): Promise<OwnAppRecord> {
  requireMembership(caller, slug);
  const app = await ownApps.find(slug, appId);
  if (app) return app;
  throw new ApiError('not_found', `The publisher ${slug} has no app ${appId}.`);
}

const countsOf = ({ counts }: OwnAppRecord) =>
  Object.fromEntries(VERSION_STATES.map((state) => [state, counts[state] ?? 0])) as Record<
    VersionState,
    number
  >;

/** The icons of listed apps. Other icons are not public and have no address. */
async function iconsOf({ versions, addresses }: OwnAppDeps, apps: readonly OwnAppRecord[]) {
  const listed = apps.flatMap(({ appId, listed: as }) => (as ? [{ appId, version: as.version }] : []));
  const records = await versions.findAll(listed);
  return new Map(
    records.map((record) => [record.appId, addresses.file(record, record.manifest.branding.icon)]),
  );
}

/** The installs of some apps on each of the last days, by app. */
async function recentOf({ ownApps, clock }: OwnAppDeps, apps: readonly OwnAppRecord[]) {
  const days = daysOf({}, clock());
  const ids = apps.map(({ appId }) => appId);
  const byApp = Map.groupBy(await ownApps.installsSince(ids, days[0] ?? ''), ({ appId }) => appId);
  return (appId: string): number[] => {
    const counts = new Map((byApp.get(appId) ?? []).map(({ day, installs }) => [day, Number(installs)]));
    return days.map((day) => counts.get(day) ?? 0);
  };
}

async function present(deps: OwnAppDeps, apps: readonly OwnAppRecord[]): Promise<OwnApp[]> {
  const [icons, recent] = await Promise.all([iconsOf(deps, apps), recentOf(deps, apps)]);
  return apps.map((app) => ({
    ...app,
    iconUrl: icons.get(app.appId) ?? null,
    counts: countsOf(app),
    recent: recent(app.appId),
  }));
}

/**
 * Reads one page of the apps of a publisher, in the order of their ids.
 * @throws ApiError not_found; invalid_request for an invalid cursor
 */
export async function listOwnApps(
  deps: OwnAppDeps,
  caller: PersonCaller,
  slug: string,
  query: OwnPageQuery,
): Promise<OwnApps> {
  requireMembership(caller, slug);
  const { items, nextCursor } = await pageOf(
    query,
    ById,
    (after) => deps.ownApps.page(slug, query.limit + 1, after?.[0] ?? null),
    ({ appId }) => [appId],
  );
  return { apps: await present(deps, items), nextCursor };
}

/**
 * One app of a publisher.
 * @throws ApiError not_found
 */
export async function ownApp(
  deps: OwnAppDeps,
  caller: PersonCaller,
  slug: string,
  appId: string,
): Promise<OwnApp> {
  const [app] = await present(deps, [await requireOwnApp(deps, caller, slug, appId)]);
  if (!app) throw new Error('An app vanished while it was presented.');
  return app;
}
