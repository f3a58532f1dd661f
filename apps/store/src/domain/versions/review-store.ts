import {
  type PastDecision,
  type ReviewLock,
  VERSION_STATES,
  type VersionMove,
  type VersionState,
} from '@svc/contracts';
import { type Selectable, sql } from 'kysely';
import { freeAt } from '../../platform/database/holds.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import {
  countMatching,
  isUpTo,
  keyOf,
  listMatching,
  lockOf,
  type QueueEntry,
  type QueueFilter,
  type QueueKey,
  type Waiting,
  waiting,
} from './review-queue.ts';
import type { VersionRef } from './version-store.ts';

/** Where moves begin that are always a person's: who decides, retracts, yanks or takes that back. */
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
export const createReviewStore = (db: Database) => ({
  /** One page of those that wait, in order; `end` is null on the last. */
  async page(
    filter: QueueFilter,
    limit: number,
    after: QueueKey | null,
  ): Promise<{ entries: Waiting[]; total: number; end: QueueKey | null }> {
    const total = await countMatching(db, filter);
    return { total, ...(await listMatching(db, filter, limit, after)) };
  },
  /** Null of a version that does not wait. */
  async standing({ appId, version }: VersionRef): Promise<QueueEntry | null> {
    const row = await waiting(db)
      .select(['superseded', 'submitted_at', 'app_id', 'version', 'locked_by', 'locked_until'])
      .select(['changes_requested_at', 'assigned_to'])
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .executeTakeFirst();
    if (!row) return null;
    const { changes_requested_at: changesRequestedAt, assigned_to: assignedTo } = row;
    return { ...keyOf(row), lock: lockOf(row), changesRequestedAt, assignedTo };
  },
  /** The place of a waiting version in the whole queue, from 1, and the length of it; null when it waits no more. */
  async placeOf(key: QueueKey): Promise<{ position: number; of: number } | null> {
    const row = await waiting(db)
      .select(({ fn }) => [
        fn.countAll().as('of'),
        fn.sum(sql<number>`case when ${isUpTo(key)} then 1 else 0 end`).as('position'),
      ])
      .executeTakeFirstOrThrow();
    const place = { position: Number(row.position), of: Number(row.of) };
    return place.position > 0 ? place : null;
  },
  /**
   * Locks a waiting version for its holder, or renews the lock; false when another holds one that has not run out, or
   * the version waits no more.
   */
  async lock(
    { appId, version }: VersionRef,
    { by, until, page }: ReviewLock & { page: string | null },
    now: string,
  ): Promise<boolean> {
    const locked = await db
      .updateTable('versions')
      .set({ locked_by: by, locked_until: until, locked_page: page })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('state', '=', 'in_review')
      .where((or) => or.or([or('locked_by', '=', by), freeAt('versions.locked_until', now)]))
      .returning('version')
      .executeTakeFirst();
    return locked !== undefined;
  },
  /**
   * Ends the lock, also that of another moderator.
   * @param only the holder and the page whose lock it must be
   */
  async unlock({ appId, version }: VersionRef, only?: { by: string; page: string }): Promise<void> {
    const free = db
      .updateTable('versions')
      .set({ locked_by: null, locked_until: null, locked_page: null })
      .where('app_id', '=', appId)
      .where('version', '=', version);
    const theirs = only && free.where('locked_by', '=', only.by).where('locked_page', '=', only.page);
    await (theirs ?? free).execute();
  },
  /** Assigns a version in review to a moderator, by the name on record, or to none. */
  async assign({ appId, version }: VersionRef, to: string | null): Promise<void> {
    await db
      .updateTable('versions')
      .set({ assigned_to: to })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('state', '=', 'in_review')
      .execute();
  },
  /** Notes since when a version in review waits for an answer of its publisher; null when it does not. */
  async setChangesRequested({ appId, version }: VersionRef, since: string | null): Promise<void> {
    await db
      .updateTable('versions')
      .set({ changes_requested_at: since })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('state', '=', 'in_review')
      .execute();
  },
  /** The moves of a version, oldest first. */
  async moves({ appId, version }: VersionRef): Promise<VersionMove[]> {
    const rows = await db
      .selectFrom('version_moves')
      .selectAll()
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .execute();
    return rows.map(moveOf).sort(byTime);
  },
  /** The latest moves that people made of other versions of an app or a publisher, newest first. */
  async decisions(
    of: { appId: string } | { publisher: string },
    except: VersionRef,
    limit: number,
  ): Promise<PastDecision[]> {
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

export type ReviewStore = ReturnType<typeof createReviewStore>;
