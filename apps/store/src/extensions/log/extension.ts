import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { type CosignDeps, createCosigner } from './cosign-log.ts';
import { createLogStore } from './log-store.ts';
import type { ownLog } from './own-log.ts';
import { createProofs, createProver } from './prove.ts';
import { createLogPublisher, type PublishDeps } from './publish-log.ts';
import { logRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const logQueries = (db: Database) => ({ logs: createLogStore(db) });

type Needs = Omit<PublishDeps, 'logs' | 'unitOfWork' | 'cosigner' | 'own'> &
  Pick<Parts, 'db' | 'unitOfWork' | 'log' | 'blobs'> &
  Pick<CosignDeps, 'fetch' | 'witnesses'> &
  Parameters<typeof ownLog>[0];

/** What to tell the operator of a checkpoint that this store signed and its log does not lead to. */
const AHEAD = (who: string, size: number, own: number) =>
  `A ${who} has a checkpoint of this store with ${size} entries, and the log has ${own}: the database and the tiles were replaced by older copies. Clients that saw the newer log refuse this store until it has these entries again. See docs/log.md.`;

const FORK = (size: number) =>
  `A client has a checkpoint of this store with ${size} entries that the log does not contain: two histories were signed with its key. See docs/log.md.`;

const WITNESS_FORK = (name: string) =>
  `The witness ${name} has another history of the log: two histories were signed with the key of this store. See docs/log.md.`;

/**
 * Publishes what changes trust as a log that cannot be rewritten unnoticed (c2sp.org/tlog-tiles). The core appends its entries in the
 * transactions of the acts (`core/domain/trust`).
 */
export const log: Extension<Needs> = {
  name: 'log',
  open(parts) {
    const own = withQueries(parts, logQueries);
    let contradiction: string | null = null;
    const contradicted = (message: string) => {
      if (contradiction !== message) parts.log.error({}, message);
      contradiction = message;
    };
    const proofs = createProofs(own);
    const cosigner = createCosigner({
      ...own,
      own: () => publisher.log(),
      consistency: proofs.consistency,
      onFork: (witness) => contradicted(WITNESS_FORK(witness)),
      async onAhead(size) {
        // Another process may have published it.
        const count = await own.logs.count();
        if (size > count) contradicted(AHEAD('witness', size, count));
      },
    });
    const publisher = createLogPublisher({ ...own, cosigner });
    const prover = createProver({ ...own, proofs, publisher });
    const found = {
      ahead: (size: number, count: number) => contradicted(AHEAD('client', size, count)),
      fork: (size: number) => contradicted(FORK(size)),
    };
    return {
      routes: logRoutes({ ...own, publisher, prover, found }),
      additions: {
        proveVersion: (ref, since) => prover.version(ref, since),
        async logHealth() {
          const [{ edge, checkpoint }, count] = [await own.logs.state(), await own.logs.count()];
          return {
            size: edge.size,
            // A restored database may have fewer entries than its log.
            waiting: Math.max(0, count - edge.size),
            publishedAt: publisher.publishedAt(),
            ...cosigner.countOf(checkpoint),
            fault: contradiction,
          };
        },
        llms: (baseUrl) => ({
          feeds: `[Log](${baseUrl}/checkpoint): every version that was published or yanked, as a log that can be verified (c2sp.org/tlog-tiles)`,
        }),
      },
      jobs: [{ what: 'Publishing the log', seconds: [0.1, 0.25], work: publisher.publish }],
    };
  },
};
