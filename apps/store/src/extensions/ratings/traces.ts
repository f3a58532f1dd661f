import type { Hooks } from '../../core/domain/parts/parts.ts';
import { allOf, hasRow } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { createFlagStore } from './flag-store.ts';
import { createRatingStore } from './rating-store.ts';
import { adjustHistogram, hideReviewsOf, starsOf } from './write-review.ts';

const DAY_MS = 24 * 3_600_000;
/** How long the store remembers that a deleted review was hidden, in milliseconds: a new one is then hidden too. */
const REMOVED_MS = 365 * DAY_MS;
/** How long decided flags are kept, in milliseconds: their users cannot flag the same review again. */
const FLAGS_MS = 90 * DAY_MS;

/** A row as an ordinary object. */
const plain = (row: object): Record<string, unknown> => ({ ...row });

/** The apps that a user rated. */
const ratedBy = (db: Database, personId: string): Promise<string[]> =>
  allOf(db.selectFrom('ratings').select('app_id').where('person_id', '=', personId), ({ app_id }) => app_id);

/** What happens to reviews and flags when the core changes a user or an app. */
export const createTraces = (db: Database) =>
  ({
    personSuspended: (stores, personId, suspended) =>
      hideReviewsOf({ ...stores, ratings: createRatingStore(stores.db) }, personId, suspended),
    /** Removes the public reviews of a user, with their stars, and the texts of their flags. */
    async personLeaves(stores, personId, at) {
      const ratings = createRatingStore(stores.db);
      for (const appId of await ratedBy(stores.db, personId)) {
        const rating = await ratings.of(personId, appId);
        if (!rating) continue;
        if (rating.hidden) await ratings.blank(rating.id, at);
        else await ratings.remove(rating.id);
        await adjustHistogram(stores, appId, starsOf(rating), null);
      }
      await stores.db
        .updateTable('rating_flags')
        .set({ note: '' })
        .where('person_id', '=', personId)
        .execute();
    },
    async recordsOf(personId) {
      const reviews = db
        .selectFrom('ratings')
        .select(['app_id', 'stars', 'title', 'body', 'version', 'created_at', 'updated_at']);
      const flags = db.selectFrom('rating_flags').select(['rating_id', 'reason', 'note', 'flagged_at']);
      return {
        reviews: await allOf(reviews.where('person_id', '=', personId), plain),
        flags: await allOf(flags.where('person_id', '=', personId), plain),
      };
    },
    usedApp: (stores, appId) =>
      hasRow(stores.db.selectFrom('ratings').select('app_id').where('app_id', '=', appId).limit(1)),
    async purgeExpired(now) {
      const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
      await createRatingStore(db).purgeRemoved(ago(REMOVED_MS));
      await createFlagStore(db).purgeDecided(ago(FLAGS_MS));
    },
  }) satisfies Partial<Hooks>;
