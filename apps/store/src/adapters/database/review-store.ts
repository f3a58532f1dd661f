import { VERSION_STATES, type VersionMove, type VersionState } from '@svc/contracts';
import { type Selectable, sql } from 'kysely';
import type { ReviewStore } from '../../domain/versions/review-store.ts';
import { freeAt } from './holds.ts';
import { countMatching, isUpTo, keyOf, listMatching, lockOf, waiting } from './review-queue.ts';
import type { Database, Tables } from './schema.ts';

/** Where moves begin that are always a person's: whoever decides, withdraws, yanks or takes that back. */
const MOVED_BY_PEOPLE: VersionState[] = ['in_review', 'published', 'yanked'];

const moveOf = (row: Selectable<Tables['version_moves']>): VersionMove => ({
  from: row.from_state as VersionState,
  to: row.to_state as VersionState,
  by: row.moved_by,
  at: row.moved_at,
  note: row.note,
});

/** Several moves may bear the same millisecond; the way through the states tells their order then. */
const byTime = (a: VersionMove, b: VersionMove): number =>
  a.at === b.at ? VERSION_STATES.indexOf(a.from) - VERSION_STATES.indexOf(b.from) : a.at < b.at ? -1 : 1;

/** The queue of reviews, its locks, and what was decided before, in the database. */
export const createReviewStore = (db: Database): ReviewStore => ({
  async page(filter, limit, after) {
    const total = await countMatching(db, filter);
    return { total, ...(await listMatching(db, filter, limit, after)) };
  },
  async standing({ appId, version }) {
    const row = await waiting(db)
      .select(['superseded', 'submitted_at', 'app_id', 'version', 'locked_by', 'locked_until'])
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .executeTakeFirst();
    return row ? { ...keyOf(row), lock: lockOf(row) } : null;
  },
  async placeOf(key) {
    const row = await waiting(db)
      .select(({ fn }) => [
        fn.countAll().as('of'),
        fn.sum(sql<number>`case when ${isUpTo(key)} then 1 else 0 end`).as('position'),
      ])
      .executeTakeFirstOrThrow();
    const place = { position: Number(row.position), of: Number(row.of) };
    return place.position > 0 ? place : null;
  },
  async lock({ appId, version }, { by, until }, now) {
    const locked = await db
      .updateTable('versions')
      .set({ locked_by: by, locked_until: until })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('state', '=', 'in_review')
      .where((or) => or.or([or('locked_by', '=', by), freeAt('versions.locked_until', now)]))
      .returning('version')
      .executeTakeFirst();
    return locked !== undefined;
  },
  async unlock({ appId, version }) {
    await db
      .updateTable('versions')
      .set({ locked_by: null, locked_until: null })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .execute();
  },
  async moves({ appId, version }) {
    const rows = await db
      .selectFrom('version_moves')
      .selectAll()
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .execute();
    return rows.map(moveOf).sort(byTime);
  },
  async decisions(of, except, limit) {
    const moves = db
      .selectFrom('version_moves as m')
      .selectAll('m')
      .where('m.from_state', 'in', MOVED_BY_PEOPLE)
      .where((not) => not.not(not.and({ 'm.app_id': except.appId, 'm.version': except.version })));
    const theirs =
      'appId' in of
        ? moves.where('m.app_id', '=', of.appId)
        : moves.where('m.app_id', 'in', (of_) =>
            of_.selectFrom('apps').select('app_id').where('publisher', '=', of.publisher),
          );
    const rows = await theirs
      .orderBy('m.moved_at', 'desc')
      .orderBy('m.app_id')
      .orderBy('m.version')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ appId: row.app_id, version: row.version, ...moveOf(row) }));
  },
});
