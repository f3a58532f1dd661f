import type { Extension } from '../../core/access/extension.ts';
import { personName } from '../../core/domain/identity/caller.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { letters } from './letters.ts';
import { type ProbeDeps, probeServers } from './probe-servers.ts';
import { removeReviewerAccount } from './reviewer-account.ts';
import { type ServerDeps, serverRoutes } from './routes.ts';
import { serverStatusOf } from './server-status.ts';
import { createToolStore } from './tool-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const toolQueries = (db: Database) => ({ tools: createToolStore(db) });

type Needs = Omit<ServerDeps & ProbeDeps, 'tools' | 'unitOfWork' | 'serverChecks'> &
  Pick<Parts, 'db' | 'unitOfWork'> & { metrics: Pick<Metrics, 'count'>; probeServers: 'on' | 'off' };

/** How long a publisher has to send the tools of its server, before the store lists the server itself, in milliseconds. */
const LISTED_BY_PUBLISHER_MS = 60_000;

/** The tools that the servers of apps have: recorded when they are reviewed, and compared with what the servers list later. */
export const servers: Extension<Needs> = {
  name: 'servers',
  open(parts) {
    const serverChecks = { listed: 0, 'needs-sign-in': 0, 'not-answering': 0 };
    const own = { ...withQueries(parts, toolQueries), serverChecks };
    parts.metrics.count({
      ...{ name: 'svc_server_checks_total', help: 'Listings of the servers of apps.' },
      ...{ label: 'outcome', read: () => serverChecks },
    });
    return {
      routes: serverRoutes(own),
      letters,
      jobs:
        parts.probeServers === 'on'
          ? [
              {
                what: 'Listing the servers of apps',
                seconds: [60, 60],
                work: (signal) => probeServers(own, signal),
              },
            ]
          : [],
      additions: {
        async serverOf(ref) {
          const [tools, check] = await Promise.all([own.tools.record(ref), own.tools.check(ref.appId)]);
          return { tools, status: serverStatusOf(ref, check) };
        },
      },
      hooks: {
        versionSubmitted: ({ db }, { appId }) =>
          createToolStore(db).planCheck(
            appId,
            new Date(parts.clock().getTime() + LISTED_BY_PUBLISHER_MS).toISOString(),
          ),
        versionApproved: ({ db }, ref, seen, mover) => createToolStore(db).approve(ref, seen, mover),
        versionPublished: ({ db }, ref, mover) => createToolStore(db).forgetUnseen(ref, mover),
        async ownApp({ db }, appId) {
          const account = await createToolStore(db).reviewerAccount(appId);
          return account ? { reviewerAccount: { host: account.host, by: account.by, at: account.at } } : {};
        },
        isWaiting: async ({ db }, kind, appId) =>
          kind === 'server' && (await createToolStore(db).check(appId))?.state.driftSince !== undefined,
        async isInEffect({ db }, { appId, at }, personId) {
          const account = await createToolStore(db).reviewerAccount(appId ?? '');
          return account?.by === personName(personId) && account.at === at;
        },
        async undoAct(caller, { action, publisher, appId }) {
          if (action === 'reviewer.deposit')
            await removeReviewerAccount(own, caller, { slug: publisher ?? '', appId: appId ?? '' });
        },
      },
    };
  },
};
