import type { ReviewOrder } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { firstOf, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';
/** The reply of the app's publisher. */
export type Reply = { body: string; createdAt: string; updatedAt: string };

/** A rating of an app with its review. */
export type Rating = {
  id: string;
  appId: string;
  author: { id: string; name: string };
  stars: number;
  title: string;
  body: string;
  version: string;
  createdAt: string;
  updatedAt: string;
  reply: Reply | null;
  /** Whether a moderator hid it. */
  hidden: boolean;
  /** Whether its author is suspended. */
  withheld: boolean;
  /** The note of the moderator; empty before a decision. */
  note: string;
  /** Since when it waits for a moderator; null when it does not. */
  waitingSince: string | null;
  /** Whether its author deleted it while it was hidden. Then it has no text and is not shown. */
  removed: boolean;
};

/** The fields that its author writes. */
export type Written = Pick<
  Rating,
  'stars' | 'title' | 'body' | 'version' | 'createdAt' | 'updatedAt' | 'waitingSince'
>;

/** The place of a rating in a list: a time and its id, and its stars where these are the order. */
export type RatingPlace = readonly [at: string, id: string, stars?: number];

/** Stars in the order of a list. */
const BY_STARS = { highest: [5, 4, 3, 2, 1], lowest: [1, 2, 3, 4, 5] };

/** Whether a rating is public and its stars count. */
export const isShown = ({ hidden, withheld }: Pick<Rating, 'hidden' | 'withheld'>): boolean =>
  !hidden && !withheld;

/** Ratings with the names of their authors. */
const withAuthors = (db: Database) =>
  db
    .selectFrom('ratings')
    .innerJoin('people', 'people.id', 'ratings.person_id')
    .selectAll('ratings')
    .select('people.name as author_name');

type Row = Awaited<ReturnType<ReturnType<typeof withAuthors>['execute']>>[number];

const replyOf = ({ reply_body: body, reply_created_at: createdAt, reply_updated_at: updatedAt }: Row) =>
  body === null || createdAt === null || updatedAt === null ? null : { body, createdAt, updatedAt };

const ratingOf = (row: Row): Rating => ({
  id: row.id,
  appId: row.app_id,
  author: { id: row.person_id, name: row.author_name },
  stars: row.stars,
  title: row.title,
  body: row.body,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  reply: replyOf(row),
  hidden: row.hidden === 1,
  withheld: row.withheld === 1,
  note: row.note,
  waitingSince: row.waiting_since,
  removed: row.removed_at !== null,
});

const columnsOf = ({ createdAt, updatedAt, waitingSince, ...text }: Written) => ({
  ...text,
  created_at: createdAt,
  updated_at: updatedAt,
  waiting_since: waitingSince,
});

const NO_REPLY = { reply_body: null, reply_created_at: null, reply_updated_at: null };

/** The public ratings of an app, newest first: of these stars, or of all. */
async function newest(
  db: Database,
  appId: string,
  stars: number | null,
  after: RatingPlace | null,
  count: number,
): Promise<Rating[]> {
  let query = withAuthors(db)
    .where('app_id', '=', appId)
    // Literal values as in the partial index: SQLite cannot use it with parameters.
    .where(sql<SqlBool>`hidden = 0 and withheld = 0`);
  if (stars !== null) query = query.where('stars', '=', stars);
  if (after) query = query.where(sql<SqlBool>`(ratings.created_at, ratings.id) < (${after[0]}, ${after[1]})`);
  const rows = await query
    .orderBy('ratings.created_at', 'desc')
    .orderBy('ratings.id', 'desc')
    .limit(count)
    .execute();
  return rows.map(ratingOf);
}

const reading = (db: Database) => ({
  find: (id: string): Promise<Rating | null> =>
    firstOf(withAuthors(db).where('ratings.id', '=', id), ratingOf),
  /** The rating of an app by a person, also when it is not shown. */
  of: (personId: string, appId: string): Promise<Rating | null> =>
    firstOf(withAuthors(db).where('person_id', '=', personId).where('app_id', '=', appId), ratingOf),
  /** The public ratings of an app: one more than `limit` when there are more. */
  async shown(appId: string, sort: ReviewOrder, after: RatingPlace | null, limit: number): Promise<Rating[]> {
    if (sort === 'newest') return newest(db, appId, null, after, limit + 1);
    const order = BY_STARS[sort];
    const found: Rating[] = [];
    for (const stars of order.slice(after ? order.indexOf(after[2] ?? 0) : 0)) {
      const from = stars === after?.[2] ? after : null;
      if (found.length <= limit)
        found.push(...(await newest(db, appId, stars, from, limit + 1 - found.length)));
    }
    return found;
  },
  /** How many of the last public ratings of an app since a time are of accounts that were created since then too, of `limit` at most. */
  async ofNewAccounts(appId: string, since: string, limit: number): Promise<number> {
    const last = db
      .selectFrom('ratings')
      .select('person_id')
      .where('app_id', '=', appId)
      .where(sql<SqlBool>`hidden = 0 and withheld = 0`)
      .where('created_at', '>=', since)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    const row = await db
      .selectFrom(last.as('last'))
      .innerJoin('people', 'people.id', 'last.person_id')
      .select((counted) => counted.fn.countAll<number>().as('count'))
      .where('people.created_at', '>=', since)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  },
  /** Ratings that wait for a moderator, oldest first: one more than `limit` when there are more. */
  async waiting(after: RatingPlace | null, limit: number): Promise<Rating[]> {
    let query = withAuthors(db).where('waiting_since', 'is not', null);
    if (after) query = query.where(sql<SqlBool>`(waiting_since, ratings.id) > (${after[0]}, ${after[1]})`);
    const rows = await query
      .orderBy('waiting_since')
      .orderBy('ratings.id')
      .limit(limit + 1)
      .execute();
    return rows.map(ratingOf);
  },
});

export function createRatingStore(db: Database) {
  const change = (id: string, columns: object) =>
    db.updateTable('ratings').set(columns).where('id', '=', id).execute();
  return {
    ...reading(db),
    async add({
      id,
      appId,
      personId,
      ...written
    }: Written & { id: string; appId: string; personId: string }): Promise<void> {
      // What waits for a moderator from the start is held: it is not shown before.
      const hidden = flag(written.waitingSince !== null);
      const columns = { ...columnsOf(written), hidden };
      await db
        .insertInto('ratings')
        .values({ id, app_id: appId, person_id: personId, ...columns })
        .execute();
    },
    /** Replaces the fields that its author writes. A deleted rating is restored. */
    async rewrite(id: string, written: Written): Promise<void> {
      await change(id, { ...columnsOf(written), removed_at: null });
    },
    remove: (id: string): Promise<void> => run(db.deleteFrom('ratings').where('id', '=', id)),
    /** Deletes the text of a rating, but keeps the fact that it was hidden. */
    async blank(id: string, at: string): Promise<void> {
      await change(id, { title: '', body: '', waiting_since: null, removed_at: at, ...NO_REPLY });
      await db.deleteFrom('rating_flags').where('rating_id', '=', id).execute();
    },
    async reply(id: string, reply: Reply | null): Promise<void> {
      const written = reply && {
        reply_body: reply.body,
        reply_created_at: reply.createdAt,
        reply_updated_at: reply.updatedAt,
      };
      await change(id, written ?? NO_REPLY);
    },
    /** Records the decision of a moderator. The rating no longer waits. */
    async decide(id: string, { hidden, note }: { hidden: boolean; note: string }): Promise<void> {
      await change(id, { hidden: flag(hidden), note, waiting_since: null });
    },
    /** Makes a rating wait for a moderator from a time on, unless it does already. */
    async requestModeration(id: string, since: string): Promise<void> {
      await change(id, { waiting_since: sql`coalesce(waiting_since, ${since})` });
    },
    /** Withholds all ratings of a person, or restores them. @returns those whose stars no longer count, or count again */
    async withhold(personId: string, withheld: boolean): Promise<{ appId: string; stars: number }[]> {
      const rows = await db
        .updateTable('ratings')
        .set({ withheld: flag(withheld) })
        .where('person_id', '=', personId)
        .where('withheld', '=', flag(!withheld))
        .returning(['app_id', 'stars', 'hidden'])
        .execute();
      return rows.flatMap(({ app_id: appId, stars, hidden }) => (hidden === 1 ? [] : [{ appId, stars }]));
    },
    /** Deletes the records of hidden ratings that were deleted before a time. */
    purgeRemoved: (before: string): Promise<void> =>
      run(db.deleteFrom('ratings').where('removed_at', '<', before)),
  };
}

export type RatingStore = ReturnType<typeof createRatingStore>;
