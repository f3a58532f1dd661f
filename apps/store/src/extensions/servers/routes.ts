import type { HandlersOf } from '../../core/access/extension.ts';
import { publicFor } from '../../http/send.ts';
import {
  acceptDrift,
  type DriftDeps,
  openDrifts,
  type RecordDeps,
  recordTools,
  toolRecordOf,
} from './drift.ts';
import { depositReviewerAccount, type ReviewerDeps, removeReviewerAccount } from './reviewer-account.ts';

/** A record changes only when a moderator accepts another list. */
const CACHE_SECONDS = 60;

export type ServerDeps = RecordDeps & DriftDeps & ReviewerDeps;

export const serverRoutes = (deps: ServerDeps): HandlersOf<'servers'> => ({
  recordTools: ({ caller, params, body }) => recordTools(deps, caller, params, body.tools),
  toolRecord: async ({ params, query }, c) =>
    c.json(await toolRecordOf(deps, params, query.reviewed === '1'), 200, {
      'Cache-Control': publicFor(CACHE_SECONDS),
    }),
  depositReviewerAccount: ({ caller, params, body }) =>
    depositReviewerAccount(deps, caller, params, body.token),
  removeReviewerAccount: ({ caller, params }) => removeReviewerAccount(deps, caller, params),
  serverDrifts: () => openDrifts(deps),
  acceptDrift: ({ caller, params, body }) => acceptDrift(deps, caller, params.appId, body),
});
