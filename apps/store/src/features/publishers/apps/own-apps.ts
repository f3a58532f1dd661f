import {
  type OwnApp,
  type OwnApps,
  type OwnPageQuery,
  VERSION_STATES,
  type VersionState,
} from '@svc/contracts';
import { z } from 'zod';
import type { PersonCaller } from '../../../domain/identity/caller.ts';
import type { Parts } from '../../../domain/parts/parts.ts';
import { ApiError } from '../../../platform/api-error.ts';
import { readCursor, writeCursor } from '../../../platform/cursor.ts';
import { unknownToCaller } from '../publisher-detail.ts';
import { daysOf } from './install-chart.ts';
import type { OwnAppRecord, OwnAppStore } from './own-app-store.ts';

export type OwnAppDeps = Pick<Parts, 'versions' | 'addresses' | 'clock'> & { ownApps: OwnAppStore };

/** Opaque to clients: the id of the last app of a page. */
const Cursor = z.tuple([z.string()]);

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
  { limit, cursor }: OwnPageQuery,
): Promise<OwnApps> {
  requireMembership(caller, slug);
  const after = cursor === undefined ? null : readCursor(Cursor, cursor)[0];
  // One more than requested shows whether there is a next page.
  const rows = await deps.ownApps.page(slug, limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    apps: await present(deps, page),
    nextCursor: rows.length > limit && last ? writeCursor([last.appId]) : null,
  };
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
