import type { LinkIssues } from '../../docs/link-issues.ts';
import type { RouteHandler } from '../../http/bind-route.ts';
import { personOf } from '../../http/signed-in.ts';
import { listOwnApps, type OwnAppDeps, ownApp } from './own-apps.ts';
import { compareVersions, listOwnVersions, type OwnVersionDeps, ownVersion } from './own-versions.ts';

export type OwnAppsRouteDeps = OwnAppDeps & OwnVersionDeps & { linkIssues: LinkIssues };

/** What a publisher keeps to itself is nobody else's to keep. */
const UNKEPT = { 'Cache-Control': 'no-store' };

/** What those who act for a publisher read of its apps. */
export const ownAppsRoutes = (deps: OwnAppsRouteDeps) => ({
  ownApps: (async (c, { params, query }) =>
    c.json(
      await listOwnApps(deps, personOf(c), params.slug, query),
      200,
      UNKEPT,
    )) satisfies RouteHandler<'ownApps'>,
  ownApp: (async (c, { params }) =>
    c.json(
      await ownApp(deps, personOf(c), params.slug, params.appId),
      200,
      UNKEPT,
    )) satisfies RouteHandler<'ownApp'>,
  ownVersions: (async (c, { params, query }) =>
    c.json(
      await listOwnVersions(deps, personOf(c), params, query),
      200,
      UNKEPT,
    )) satisfies RouteHandler<'ownVersions'>,
  ownVersion: (async (c, { params }) => {
    const detail = await ownVersion(deps, personOf(c), params, params.version);
    return c.json(deps.linkIssues(detail), 200, UNKEPT);
  }) satisfies RouteHandler<'ownVersion'>,
  compareVersions: (async (c, { params, query }) =>
    c.json(
      await compareVersions(deps, personOf(c), params, query),
      200,
      UNKEPT,
    )) satisfies RouteHandler<'compareVersions'>,
});
