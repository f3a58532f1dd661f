import type { Handlers } from '../../../access/bind-route.ts';
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

/** Content for the members of a publisher must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes of members for the apps of their publisher. */
export const ownAppsRoutes = (
  deps: OwnAppDeps & OwnVersionDeps & ChartDeps & Pick<Parts, 'blobs' | 'linkIssues'>,
) =>
  ({
    installChart: ({ caller, params, query }) => installChart(deps, caller, params, query),
    ownApps: ({ caller, params, query }) => listOwnApps(deps, caller, params.slug, query),
    ownApp: ({ caller, params }) => ownApp(deps, caller, params.slug, params.appId),
    ownVersions: ({ caller, params, query }) => listOwnVersions(deps, caller, params, query),
    ownVersion: async ({ caller, params }) => {
      const detail = await ownVersion(deps, caller, params, params.version);
      return deps.linkIssues(detail);
    },
    ownPicture: async ({ caller, params }, c) => {
      const { file, blob } = await ownPicture(deps, caller, params, params);
      return c.body(blob.stream(), 200, {
        ...pictureHeaders(file.type),
        ...NO_STORE,
        'Content-Length': String(blob.size),
      });
    },
    compareVersions: ({ caller, params, query }) => compareVersions(deps, caller, params, query),
  }) satisfies Handlers;
