import * as upstreams from '../records/upstreams.ts';
import { route } from './route.ts';

/** The stores whose apps this store carries. */
export const upstreamRoutes = {
  upstreams: route.upstreams('admin GET /api/admin/upstreams', {
    summary: 'List the stores whose apps this store carries, and since when one fails.',
    success: { status: 200, body: upstreams.Upstreams },
  }),
  offeredUpstream: route.upstreams('admin GET /api/admin/upstreams/offer', {
    summary: 'Get the keys of a store, to compare them before it is added.',
    query: upstreams.UpstreamQuery,
    success: { status: 200, body: upstreams.UpstreamOffer },
    errors: ['unavailable'],
  }),
  addUpstream: route.upstreams('admin POST /api/admin/upstreams', {
    summary: 'Carry apps of a store. Its current key is pinned.',
    effects: ['changes-store'],
    body: upstreams.NewUpstream,
    maxBody: 512 * 1024,
    success: { status: 201, body: upstreams.Upstream },
    errors: ['already_handled', 'unavailable'],
  }),
  changeUpstream: route.upstreams('admin PATCH /api/admin/upstreams/:upstream', {
    summary: 'Change which apps of a store are carried and how, or pin its key again.',
    effects: ['changes-store'],
    params: upstreams.UpstreamParam,
    body: upstreams.UpstreamChange,
    maxBody: 512 * 1024,
    success: { status: 200, body: upstreams.Upstream },
    errors: ['not_found', 'unavailable'],
  }),
  removeUpstream: route.upstreams('admin DELETE /api/admin/upstreams/:upstream', {
    summary:
      'Carry nothing more of a store. Users keep its apps; new installs stop, as no yank of it would be received any more.',
    effects: ['ends-for-many'],
    params: upstreams.UpstreamParam,
    success: { status: 204, type: 'application/json' },
    errors: ['not_found'],
  }),
  upstreamApps: route.upstreams('admin GET /api/admin/upstreams/:upstream/apps', {
    summary: 'List what became of the apps of an upstream here.',
    params: upstreams.UpstreamParam,
    query: upstreams.CarriedAppsQuery,
    success: { status: 200, body: upstreams.CarriedApps },
    errors: ['not_found'],
  }),
  searchUpstream: route.upstreams('admin GET /api/admin/upstreams/:upstream/search', {
    summary: 'Search the catalogue of an upstream.',
    params: upstreams.UpstreamParam,
    query: upstreams.UpstreamSearch,
    success: { status: 200, body: upstreams.UpstreamFound },
    errors: ['not_found', 'unavailable'],
  }),
};
