import type { RouteHandler } from '../../../access/bind-route.ts';
import { personOf } from '../../../access/signed-in.ts';
import type { Parts } from '../../../domain/parts/parts.ts';
import { pictureHeaders } from '../../../http/picture-headers.ts';
import { type ChartDeps, installChart } from './install-chart.ts';
import { listOwnApps, type OwnAppDeps, ownApp } from './own-apps.ts';
import {
  compareVersions,
  listOwnVersions,
  type OwnVersionDeps,
  ownPicture,
  ownVersion,
} from './own-versions.ts';

export type OwnAppsRouteDeps = OwnAppDeps & OwnVersionDeps & ChartDeps & Pick<Parts, 'blobs' | 'linkIssues'>;

/** Content for the members of a publisher must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes of members for the apps of their publisher. */
export const ownAppsRoutes = (deps: OwnAppsRouteDeps) => ({
  installChart: (async (c, { params, query }) =>
    c.json(
      await installChart(deps, personOf(c), params, query),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'installChart'>,
  ownApps: (async (c, { params, query }) =>
    c.json(
      await listOwnApps(deps, personOf(c), params.slug, query),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'ownApps'>,
  ownApp: (async (c, { params }) =>
    c.json(
      await ownApp(deps, personOf(c), params.slug, params.appId),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'ownApp'>,
  ownVersions: (async (c, { params, query }) =>
    c.json(
      await listOwnVersions(deps, personOf(c), params, query),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'ownVersions'>,
  ownVersion: (async (c, { params }) => {
    const detail = await ownVersion(deps, personOf(c), params, params.version);
    return c.json(deps.linkIssues(detail), 200, NO_STORE);
  }) satisfies RouteHandler<'ownVersion'>,
  ownPicture: (async (c, { params }) => {
    const { file, blob } = await ownPicture(deps, personOf(c), params, params);
    return c.body(blob.stream(), 200, {
      ...pictureHeaders(file.type),
      ...NO_STORE,
      'Content-Length': String(blob.size),
    });
  }) satisfies RouteHandler<'ownPicture'>,
  compareVersions: (async (c, { params, query }) =>
    c.json(
      await compareVersions(deps, personOf(c), params, query),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'compareVersions'>,
});
