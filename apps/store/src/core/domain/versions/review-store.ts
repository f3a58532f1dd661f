import {
  type PastDecision,
  type ReviewLock,
  type ReviewMessage,
  VERSION_STATES,
  type VersionMove,
  type VersionState,
} from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { allOf, firstOf, hasChanged, isInactiveAt, run } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
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
import { RETRACTED } from './states.ts';
import type { VersionRef } from './version-record.ts';

/** A stored message, with the recorded name of its author. */
export type StoredMessage = Pick<
  ReviewMessage,
  'number' | 'at' | 'side' | 'role' | 'requestsChanges' | 'text'
> & {
  author: string;
};

/** Stores the messages of moderators and publishers about versions. */
export const createMessageStore = (db: Database) => ({
  add: ({ appId, version }: VersionRef, { at, requestsChanges, ...message }: StoredMessage): Promise<void> =>
    run(
      db.insertInto('review_messages').values({
        ...{ app_id: appId, version, sent_at: at, requests_changes: flag(requestsChanges) },
        ...message,
      }),
    ),
  /** The conversation about a version, oldest first. */
  of: ({ appId, version }: VersionRef): Promise<StoredMessage[]> =>
    allOf(
      db
        .selectFrom('review_messages')
        .selectAll()
        .where('app_id', '=', appId)
        .where('version', '=', version)
        .orderBy('number'),
      ({ app_id: _app, version: _version, sent_at: at, requests_changes, ...message }) => ({
        ...message,
        at,
        requestsChanges: requests_changes === 1,
      }),
    ),
});

/** States whose transitions are always decisions of users: approve, reject, retract, yank, and the reversal of these. */
const MOVED_BY_PEOPLE: VersionState[] = ['in_review', 'rejected', 'published', 'yanked'];

const moveOf = (row: Selectable<Tables['version_moves']>): VersionMove => ({
  from: row.from_state as VersionState,
  to: row.to_state as VersionState,
  by: row.moved_by,
  at: row.moved_at,
  note: row.note,
  ...(row.first_by !== null && { first: row.first_by }),
});

/** Several moves may have the same millisecond; the order of the states then decides. */
const byTime = (a: VersionMove, b: VersionMove): number =>
  a.at === b.at ? VERSION_STATES.indexOf(a.from) - VERSION_STATES.indexOf(b.from) : a.at < b.at ? -1 : 1;

/** An update of a version in review. */
const inReview = (db: Database, { appId, version }: VersionRef) =>
  db
    .updateTable('versions')
    .where('app_id', '=', appId)
    .where('version', '=', version)
    .where('state', '=', 'in_review');

/** Stores the review queue, its locks, and past decisions. */
export const createReviewStore = (db: Database) => ({
  /** Reads one page of the queue, in order; `end` is null on the last. */
  async page(
    filter: QueueFilter,
    limit: number,
    after: QueueKey | null,
  ): Promise<{ entries: Waiting[]; total: number; end: QueueKey | null }> {
    const total = await countMatching(db, filter);
    return { total, ...(await listMatching(db, filter, limit, after)) };
  },
  /** The review state of a version; null when it is not in review. */
  reviewState: ({ appId, version }: VersionRef): Promise<QueueEntry | null> =>
    firstOf(
      waiting(db)
        .select(['superseded', 'submitted_at', 'app_id', 'version', 'locked_by', 'locked_until'])
        .select(['changes_requested_at', 'assigned_to'])
        .where('app_id', '=', appId)
        .where('version', '=', version),
      (row) => ({
        ...keyOf(row),
        lock: lockOf(row),
        changesRequestedAt: row.changes_requested_at,
        assignedTo: row.assigned_to,
      }),
    ),
  /** The place of a version in the queue, from 1, and the length of the queue; null when it is no longer in review. */
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
   * Locks a version in review for a moderator, or renews the lock; false when another moderator has an active lock, or the version is no
   * longer in review.
   */
  lock: (
    ref: VersionRef,
    { by, until, page }: ReviewLock & { page: string | null },
    now: string,
  ): Promise<boolean> =>
    hasChanged(
      inReview(db, ref)
        .set({ locked_by: by, locked_until: until, locked_page: page })
        .where('withheld', '=', 0)
        .where((or) => or.or([or('locked_by', '=', by), isInactiveAt('versions.locked_until', now)])),
    ),
  /**
   * Releases the lock, also that of another moderator.
   * @param only releases the lock only if this moderator and this page have it
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
  /** Assigns a version in review to a moderator, by recorded name, or to none. */
  async assign(ref: VersionRef, to: string | null): Promise<void> {
    await inReview(db, ref).set({ assigned_to: to }).execute();
  },
  /** Sets since when a version in review waits for its publisher; null when it does not. */
  async setChangesRequested(ref: VersionRef, since: string | null): Promise<void> {
    await inReview(db, ref).set({ changes_requested_at: since }).execute();
  },
  /** The latest decisions of moderators since a time: when each version was uploaded, when it was decided, and why it was reviewed. */
  async decidedSince(
    since: string,
    limit: number,
  ): Promise<{ submittedAt: string; decidedAt: string; reasons: string[] }[]> {
    const rows = await db
      .selectFrom('version_moves as m')
      .innerJoin('versions as v', (join) =>
        join.onRef('v.app_id', '=', 'm.app_id').onRef('v.version', '=', 'm.version'),
      )
      .select(['v.submitted_at', 'm.moved_at', 'v.reasons_json'])
      .where(sql<SqlBool>`m.from_state = 'in_review'`)
      .where('m.moved_at', '>=', since)
      .where('v.retracted', '=', 0)
      // A version that only its publisher confirmed has none.
      .where('v.reasons_json', '<>', '[]')
      .orderBy('m.moved_at', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      submittedAt: row.submitted_at,
      decidedAt: row.moved_at,
      reasons: JSON.parse(row.reasons_json),
    }));
  },
  /** The versions in the queue by their reasons, and when the oldest of each was uploaded. */
  async waitingByReasons(): Promise<{ reasons: string[]; count: number; oldestAt: string }[]> {
    const rows = await waiting(db)
      .select(({ fn }) => ['reasons_json', fn.countAll().as('count'), fn.min('submitted_at').as('oldest')])
      .groupBy('reasons_json')
      .execute();
    return rows.map(({ reasons_json, count, oldest }) => ({
      reasons: JSON.parse(reasons_json),
      count: Number(count),
      oldestAt: String(oldest),
    }));
  },
  /** The moves of a version, oldest first. */
  async moves({ appId, version }: VersionRef): Promise<VersionMove[]> {
    const moves = db.selectFrom('version_moves').selectAll().where('app_id', '=', appId);
    return (await allOf(moves.where('version', '=', version), moveOf)).sort(byTime);
  },
  /** How often versions of some publishers were approved, rejected and yanked; not those that they retracted. */
  async recordOf(
    publishers: readonly string[],
  ): Promise<{ approved: number; rejected: number; yanked: number }> {
    const rows = await db
      .selectFrom('version_moves')
      .select(({ fn }) => ['to_state', fn.countAll().as('count')])
      .where('from_state', 'in', MOVED_BY_PEOPLE)
      .where('to_state', 'in', ['approved', 'rejected', 'yanked'])
      .where('note', '<>', RETRACTED)
      .where('app_id', 'in', (of_) =>
        of_.selectFrom('apps').select('app_id').where('publisher', 'in', publishers),
      )
      .groupBy('to_state')
      .execute();
    const count = (state: VersionState) =>
      Number(rows.find(({ to_state }) => to_state === state)?.count ?? 0);
    return { approved: count('approved'), rejected: count('rejected'), yanked: count('yanked') };
  },
  /** The latest decisions of users about other versions of an app or a publisher, newest first. */
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
