import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { createLogStore } from './log-store.ts';
import { createProver } from './prove.ts';
import { createLogPublisher, type PublishDeps } from './publish-log.ts';
import { logRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const logQueries = (db: Database) => ({ logs: createLogStore(db) });

type Needs = Omit<PublishDeps, 'logs' | 'unitOfWork'> & Pick<Parts, 'db' | 'unitOfWork' | 'log' | 'blobs'>;

/**
 * Publishes what changes trust as a log that cannot be rewritten unnoticed (c2sp.org/tlog-tiles). The core appends its entries in the
 * transactions of the acts (`core/domain/trust`).
 */
export const log: Extension<Needs> = {
  name: 'log',
  open(parts) {
    const own = withQueries(parts, logQueries);
    const publisher = createLogPublisher(own);
    const prover = createProver({ ...own, publisher });
    let contradiction: string | null = null;
    const onContradiction = (message: string) => {
      if (contradiction !== message) parts.log.error({}, message);
      contradiction = message;
    };
    return {
      routes: logRoutes({ ...own, publisher, prover, onContradiction }),
      additions: {
        proveVersion: (ref, since) => prover.version(ref, since),
        llms: (baseUrl) => ({
          feeds: `[Log](${baseUrl}/checkpoint): every version that was published or yanked, as a log that can be verified (c2sp.org/tlog-tiles)`,
        }),
      },
      jobs: [{ what: 'Publishing the log', seconds: [0.1, 0.25], work: publisher.publish }],
    };
  },
};
