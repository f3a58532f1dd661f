import type { Extension } from '../../core/access/extension.ts';
import { type BrowseDeps, entriesOf } from '../../core/catalog/browse.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { createFeaturedStore } from './featured-store.ts';
import { type FeatureDeps, featuredRoutes } from './routes.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const featuredQueries = (db: Database) => ({ featured: createFeaturedStore(db) });

type Needs = Omit<FeatureDeps, 'unitOfWork'> & BrowseDeps & Pick<Parts, 'db' | 'unitOfWork'>;

/** Apps that administrators put first on the front page. */
export const featured: Extension<Needs> = {
  name: 'featured',
  open(parts) {
    const own = withQueries(parts, featuredQueries);
    return {
      routes: featuredRoutes(own),
      hooks: { appRemoved: ({ db }, appId) => createFeaturedStore(db).remove(appId) },
      additions: { featured: async () => entriesOf(parts, await own.featured.ids()) },
    };
  },
};
