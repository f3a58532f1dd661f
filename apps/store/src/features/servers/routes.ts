import type { RouteHandler } from '../../access/bind-route.ts';
import { publicFor } from '../../http/send.ts';
import { acceptDrift, type DriftDeps, openDrifts } from './drift.ts';
import { type RecordDeps, recordTools, toolRecordOf } from './record-tools.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };
/** A record changes only when a moderator accepts another list. */
const CACHE_SECONDS = 60;

export const serverRoutes = (deps: RecordDeps & DriftDeps) => ({
  recordTools: (async (c, { params, body }) =>
    c.json(
      await recordTools(deps, c.get('caller'), params, body.tools),
      201,
    )) satisfies RouteHandler<'recordTools'>,
  toolRecord: (async (c, { params }) =>
    c.json(await toolRecordOf(deps, params), 200, {
      'Cache-Control': publicFor(CACHE_SECONDS),
    })) satisfies RouteHandler<'toolRecord'>,
  serverDrifts: (async (c) =>
    c.json(await openDrifts(deps), 200, NO_STORE)) satisfies RouteHandler<'serverDrifts'>,
  acceptDrift: (async (c, { params, body }) =>
    c.json(
      await acceptDrift(deps, c.get('caller'), params.appId, body),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'acceptDrift'>,
});
