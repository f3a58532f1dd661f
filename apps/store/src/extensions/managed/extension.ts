import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { createManagedStore } from './managed-store.ts';
import { type ManagedDeps, managedRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const managedQueries = (db: Database) => ({ managed: createManagedStore(db) });

type Needs = Omit<ManagedDeps, 'managed' | 'unitOfWork'> & Pick<Parts, 'db' | 'unitOfWork'>;

/** What a company sets for the desktops of its users, signed. */
export const managed: Extension<Needs> = {
  name: 'managed',
  open: (parts) => ({ routes: managedRoutes(withQueries(parts, managedQueries)) }),
};
