import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { AppealDeps } from './appeal.ts';
import { createAppealStore } from './appeal-store.ts';
import { endAppeals } from './close-appeal.ts';
import { letters } from './letters.ts';
import { appealRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const appealQueries = (db: Database) => ({ appeals: createAppealStore(db) });

type Needs = Omit<AppealDeps, 'appeals' | 'unitOfWork'> & Pick<Parts, 'db' | 'unitOfWork'>;

/** Members of a publisher read the decisions about it, and appeal them to another moderator. */
export const appeals: Extension<Needs> = {
  name: 'appeals',
  open(parts) {
    return {
      routes: appealRoutes(withQueries(parts, appealQueries)),
      letters,
      hooks: {
        decisionEnded: (stores, ...ended) =>
          endAppeals(parts, { ...stores, ...appealQueries(stores.db) }, ...ended),
        isWaiting: async ({ db }, kind, id) =>
          kind === 'appeal' && (await createAppealStore(db).find(id))?.appeal?.state === 'open',
        holdsApp: ({ db }, appId) => createAppealStore(db).hasOpenAppeal(appId),
      },
    };
  },
};
