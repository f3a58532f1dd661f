import { type SqlBool, sql } from 'kysely';
import type { Rating, RatingKey, RatingStore, Written } from '../../ratings/rating-store.ts';
import { type Database, flag } from './schema.ts';

/** Ratings with the names of who wrote them. */
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

type Reading = Pick<RatingStore, 'find' | 'of' | 'shown' | 'waiting'>;

const reading = (db: Database): Reading => ({
  async find(id) {
    const row = await withAuthors(db).where('ratings.id', '=', id).executeTakeFirst();
    return row ? ratingOf(row) : null;
  },
  async of(personId, appId) {
    const row = await withAuthors(db)
      .where('person_id', '=', personId)
      .where('app_id', '=', appId)
      .executeTakeFirst();
    return row ? ratingOf(row) : null;
  },
  async shown(appId, after, limit) {
    let query = withAuthors(db)
      .where('app_id', '=', appId)
      // As the index says it: SQLite does not know that a parameter will be 0.
      .where(sql<SqlBool>`hidden = 0 and withheld = 0`);
    if (after)
      query = query.where(sql<SqlBool>`(ratings.created_at, ratings.id) < (${after.at}, ${after.id})`);
    const rows = await query
      .orderBy('ratings.created_at', 'desc')
      .orderBy('ratings.id', 'desc')
      .limit(limit + 1)
      .execute();
    return rows.map(ratingOf);
  },
  async waiting(after: RatingKey | null, limit) {
    let query = withAuthors(db).where('waiting_since', 'is not', null);
    if (after) query = query.where(sql<SqlBool>`(waiting_since, ratings.id) > (${after.at}, ${after.id})`);
    const rows = await query
      .orderBy('waiting_since')
      .orderBy('ratings.id')
      .limit(limit + 1)
      .execute();
    return rows.map(ratingOf);
  },
});

/** What people say of apps, in the database. */
export function createRatingStore(db: Database): RatingStore {
  const change = (id: string, columns: object) =>
    db.updateTable('ratings').set(columns).where('id', '=', id).execute();
  return {
    ...reading(db),
    async add({ id, appId, personId, ...written }) {
      const columns = columnsOf(written);
      await db
        .insertInto('ratings')
        .values({ id, app_id: appId, person_id: personId, ...columns })
        .execute();
    },
    async rewrite(id, written) {
      await change(id, { ...columnsOf(written), removed_at: null });
    },
    async remove(id) {
      await db.deleteFrom('ratings').where('id', '=', id).execute();
    },
    async blank(id, at) {
      await change(id, { title: '', body: '', waiting_since: null, removed_at: at, ...NO_REPLY });
      await db.deleteFrom('rating_flags').where('rating_id', '=', id).execute();
    },
    async reply(id, reply) {
      const written = reply && {
        reply_body: reply.body,
        reply_created_at: reply.createdAt,
        reply_updated_at: reply.updatedAt,
      };
      await change(id, written ?? NO_REPLY);
    },
    async decide(id, { hidden, note }) {
      await change(id, { hidden: flag(hidden), note, waiting_since: null });
    },
    async bringUp(id, since) {
      await change(id, { waiting_since: sql`coalesce(waiting_since, ${since})` });
    },
    async withhold(personId, withheld) {
      const rows = await db
        .updateTable('ratings')
        .set({ withheld: flag(withheld) })
        .where('person_id', '=', personId)
        .where('withheld', '=', flag(!withheld))
        .returning(['app_id', 'stars', 'hidden'])
        .execute();
      return rows.flatMap(({ app_id: appId, stars, hidden }) => (hidden === 1 ? [] : [{ appId, stars }]));
    },
    async forgetRemoved(before) {
      await db.deleteFrom('ratings').where('removed_at', '<', before).execute();
    },
  };
}
