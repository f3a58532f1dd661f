import type { Handlers } from '../../access/bind-route.ts';
import { publicFor } from '../../http/send.ts';
import { acceptDrift, type DriftDeps, openDrifts } from './drift.ts';
import { type RecordDeps, recordTools, toolRecordOf } from './record-tools.ts';

/** A record changes only when a moderator accepts another list. */
const CACHE_SECONDS = 60;

export const serverRoutes = (deps: RecordDeps & DriftDeps) =>
  ({
    recordTools: ({ caller, params, body }) => recordTools(deps, caller, params, body.tools),
    toolRecord: async ({ params }, c) =>
      c.json(await toolRecordOf(deps, params), 200, {
        'Cache-Control': publicFor(CACHE_SECONDS),
      }),
    serverDrifts: () => openDrifts(deps),
    acceptDrift: ({ caller, params, body }) => acceptDrift(deps, caller, params.appId, body),
  }) satisfies Handlers;
