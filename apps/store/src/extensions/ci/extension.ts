import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { type CiDeps, ciRoutes } from './routes.ts';
import { createTrustedPublisherStore } from './trusted-publisher-store.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const ciQueries = (db: Database) => ({ trustedPublishers: createTrustedPublisherStore(db) });

type Needs = Omit<CiDeps, 'trustedPublishers' | 'unitOfWork'> & Pick<Parts, 'db' | 'unitOfWork'>;

/** CI workflows publish without a stored secret: their jobs exchange an ID token for one that is valid for minutes. */
export const ci: Extension<Needs> = {
  name: 'ci',
  open: (parts) => ({
    routes: ciRoutes(withQueries(parts, ciQueries)),
    hooks: {
      endAccess: async ({ db }, personId) => ({
        workflowsRemoved: await createTrustedPublisherStore(db).removeMadeBy(personId),
      }),
      tokensRevoked: ({ db }, slug) => createTrustedPublisherStore(db).removeAll(slug),
    },
  }),
};
