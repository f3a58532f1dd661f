import type { Extension } from '../../core/access/extension.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { createFlagStore } from './flag-store.ts';
import { createRatingStore } from './rating-store.ts';
import { type RatingDeps, ratingRoutes } from './routes.ts';
import { type SectionDeps, showReviews } from './show-reviews.ts';
import { createTraces } from './traces.ts';
import type { CoreStores } from './write-review.ts';

/** The queries of the extension, on the database or on a transaction of it. */
export const ratingQueries = (db: Database) => ({
  ratings: createRatingStore(db),
  flags: createFlagStore(db),
});

type Own = keyof ReturnType<typeof ratingQueries>;
type Parts = Omit<RatingDeps & SectionDeps, Own | 'unitOfWork'> & { unitOfWork: UnitOfWork<CoreStores> };

/** Users rate the apps that they installed, publishers reply, and moderators decide about flagged reviews. */
export const ratings: Extension<Parts> = {
  name: 'ratings',
  open(parts) {
    const own = withQueries(parts, ratingQueries);
    return {
      routes: ratingRoutes(own),
      hooks: {
        ...createTraces(parts.db),
        isWaiting: async ({ db }, kind, id) =>
          kind === 'review' && typeof (await createRatingStore(db).find(id))?.waitingSince === 'string',
      },
      additions: {
        appSection: (app, positions) => showReviews(own, app, positions),
        offers: ['rating', 'rated-4'],
        shelf: { title: 'Best rated', sort: 'rating' },
      },
    };
  },
};
