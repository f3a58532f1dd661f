import type { HeadVersion, VersionState } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { inTransaction } from '../../../platform/database/in-transaction.ts';
import { prepare } from '../../../platform/database/prepare.ts';
import { allOf, firstOf, hasChanged, isInactiveAt, run } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { withholdVersion } from '../../../platform/database/visibility.ts';
import { logMoves } from '../trust/trust-log.ts';
import type { Mover } from './changes.ts';
import type { Transition } from './states.ts';
import {
  columnsOf,
  type FirstApproval,
  firstColumns,
  greatestOf,
  type Lease,
  leaseColumns,
  originsOf,
  type PublishedRecord,
  rowOf,
  type ServedVersion,
  type Upload,
  type VersionChange,
  type VersionRecord,
  type VersionRef,
  versionOf,
} from './version-record.ts';

/** Columns of an open decision; every transition clears them. */
const REVIEW_ENDED = {
  ...firstColumns(null),
  locked_by: null,
  locked_until: null,
  locked_page: null,
  assigned_to: null,
  changes_requested_at: null,
};

/** Versions that one statement names: a statement has a limited number of parameters. */
const KEYS_AT_ONCE = 200;

const at = (db: Database, { appId, version }: VersionRef) =>
  db.selectFrom('versions').where('app_id', '=', appId).where('version', '=', version);

/** A literal and not a parameter: SQLite uses a partial index only when the query contains its condition. */
const IS_PUBLISHED = sql<SqlBool>`state = 'published'`;

/** Matches only the last upload of an app; a literal for the same reason. */
const IS_NEWEST = sql<SqlBool>`superseded = 0`;

/** Matches versions that the store is processing; a literal with the condition of the index `versions_under_way`. */
export const IS_UNDER_WAY = sql<SqlBool>`state in ('submitted', 'checking', 'approved')`;

/** A state that lasts for seconds. */
export type PassingState = Extract<VersionState, 'submitted' | 'checking' | 'approved'>;

const publishedOf = (db: Database, appId: string) =>
  db.selectFrom('versions').where('app_id', '=', appId).where(IS_PUBLISHED);

/** It runs for each download, and reads one small row. */
const servedQuery = (db: Database) =>
  db
    .selectFrom('versions')
    .leftJoin('listings', 'listings.app_id', 'versions.app_id')
    .select(['state', 'notes', 'sha256', 'files_json', 'signature', 'key_id', 'published_at', 'origin_json'])
    .select('listings.hidden')
    .where('versions.app_id', '=', '')
    .where('versions.version', '=', '');

/** Whether a transition approves or publishes a version, which a suspension stops. */
const isAdvance = (from: VersionState, to: VersionState): boolean =>
  to === 'approved' || (to === 'published' && from === 'approved');

export function createVersionStore(db: Database) {
  const served = prepare(db, () => servedQuery(db));
  return {
    /** Adds an upload as `submitted`. */
    add(upload: Upload, _mover: Mover): Promise<void> {
      return inTransaction(db, async (tx) => {
        // Only the newest version of an app is not superseded yet.
        await tx
          .updateTable('versions')
          .set({ superseded: 1 })
          .where('app_id', '=', upload.appId)
          .where(IS_NEWEST)
          .execute();
        await tx.insertInto('versions').values(rowOf(upload)).execute();
      });
    },
    find: (ref: VersionRef): Promise<VersionRecord | null> => firstOf(at(db, ref).selectAll(), versionOf),
    /** The fields that are needed to serve a version, in any state. */
    async served({ appId, version }: VersionRef): Promise<ServedVersion | null> {
      const [row] = await served(appId, version);
      if (!row) return null;
      return {
        appId,
        version,
        state: row.state as VersionState,
        notes: row.notes,
        sha256: row.sha256,
        files: JSON.parse(row.files_json),
        signature: row.signature,
        keyId: row.key_id,
        publishedAt: row.published_at,
        isListed: row.hidden === 0 || row.hidden === 2,
        ...(row.origin_json !== null && { origin: JSON.parse(row.origin_json) }),
      };
    },
    /** The attestation of a version, as it was sent; null without one. */
    attestationOf: (ref: VersionRef): Promise<string | null> =>
      firstOf(at(db, ref).select('attestation'), (row) => row.attestation),
    /** Finds some versions, in no order, without those that do not exist. */
    async findAll(refs: readonly VersionRef[]): Promise<VersionRecord[]> {
      if (refs.length === 0) return [];
      const keys = sql.join(refs.map(({ appId, version }) => sql`(${appId}, ${version})`));
      const rows = await db
        .selectFrom('versions')
        .selectAll()
        .where(sql<SqlBool>`(app_id, version) in (values ${keys})`)
        .execute();
      return rows.map(versionOf);
    },
    /** The hashes of those of some versions that were published, yanked or not, in no order. */
    async hashesOf(refs: readonly VersionRef[]): Promise<(VersionRef & { sha256: string })[]> {
      const found: (VersionRef & { sha256: string })[] = [];
      for (let n = 0; n < refs.length; n += KEYS_AT_ONCE) {
        const some = refs.slice(n, n + KEYS_AT_ONCE);
        const keys = sql.join(some.map(({ appId, version }) => sql`(${appId}, ${version})`));
        const rows = await db
          .selectFrom('versions')
          .select(['app_id as appId', 'version', 'sha256'])
          .where(sql<SqlBool>`(app_id, version) in (values ${keys})`)
          .where('state', 'in', ['published', 'yanked'])
          .execute();
        found.push(...rows);
      }
      return found;
    },
    /** The greatest uploaded version number of an app: each upload is greater than those that it supersedes. */
    async newestUpload(appId: string): Promise<string | null> {
      const newest = db.selectFrom('versions').select('version').where('app_id', '=', appId).where(IS_NEWEST);
      return greatestOf(await allOf(newest, ({ version }) => version));
    },
    /** The listed version of an app, also of a suspended one: the latest published version. */
    latestPublished: (appId: string): Promise<string | null> =>
      firstOf(db.selectFrom('listings').select('version').where('app_id', '=', appId), (row) => row.version),
    /** The numbers and times of an app's published versions, in no order. */
    async publishedNumbers(appId: string): Promise<{ version: string; publishedAt: string }[]> {
      const rows = await publishedOf(db, appId).select(['version', 'published_at']).execute();
      return rows.flatMap(({ version, published_at }) =>
        published_at === null ? [] : [{ version, publishedAt: published_at }],
      );
    },
    /** The versions of an app that were published last, newest first. */
    async lastPublished(
      appId: string,
      limit: number,
    ): Promise<{ version: string; publishedAt: string; changelog: string }[]> {
      // Their numbers come from an index that has the time: the rows of all other versions are not read.
      const last = publishedOf(db, appId).select('version').orderBy('published_at', 'desc').limit(limit);
      const rows = await publishedOf(db, appId)
        .select(['version', 'published_at', 'changelog'])
        .where('version', 'in', db.selectFrom(last.as('last')).select('last.version'))
        .orderBy('published_at', 'desc')
        .execute();
      return rows.map(({ published_at, ...row }) => ({ ...row, publishedAt: published_at ?? '' }));
    },
    /** The published and yanked versions of an app, in no order, with their hashes. */
    released: (appId: string): Promise<HeadVersion[]> =>
      allOf(
        db
          .selectFrom('versions')
          .select(['version', 'sha256', 'state'])
          .where('app_id', '=', appId)
          .where('state', 'in', ['published', 'yanked']),
        (row) => ({ ...row, state: row.state as HeadVersion['state'] }),
      ),
    /** When a version of an app last changed its state; null when none did. */
    lastMoved: (appId: string, version?: string): Promise<string | null> =>
      firstOf(
        db
          .selectFrom('version_moves')
          .select((moves) => moves.fn.max('moved_at').as('last'))
          .where('app_id', '=', appId)
          .$if(version !== undefined, (moves) => moves.where('version', '=', version ?? '')),
        (row) => row.last,
      ),
    /** The published versions of an app, in no order, without their manifests. */
    async published(appId: string): Promise<PublishedRecord[]> {
      const rows = await publishedOf(db, appId)
        .select(['version', 'sha256', 'size', 'changelog', 'published_at', 'signature', 'key_id'])
        .select(['source_json', 'attested_json', 'origin_json', 'deprecated'])
        .execute();
      return rows.map(({ published_at: publishedAt, key_id: keyId, deprecated, ...row }) => ({
        ...{ appId, version: row.version, sha256: row.sha256, size: row.size },
        ...{ changelog: row.changelog, signature: row.signature },
        ...(deprecated !== null && { deprecated }),
        publishedAt,
        keyId,
        ...originsOf(row),
      }));
    },
    /** The versions in a state without an active lease at a time, oldest first. */
    abandoned: (state: PassingState, time: string): Promise<VersionRef[]> =>
      db
        .selectFrom('versions')
        .select(['app_id as appId', 'version'])
        .where(IS_UNDER_WAY)
        .where('state', '=', state)
        .where('withheld', '=', 0)
        .where(isInactiveAt('versions.lease_until', time))
        .orderBy('submitted_at')
        .execute(),
    /** Takes a lease on a version in a state; false when the version has left the state, or another process has an active lease. */
    claim: (ref: VersionRef, state: VersionState, lease: Lease, time: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('versions')
          .set(leaseColumns(lease))
          .where('app_id', '=', ref.appId)
          .where('version', '=', ref.version)
          .where('state', '=', state)
          .where(isInactiveAt('versions.lease_until', time)),
      ),
    /** Ends the wait for a member of the publisher, with a new result of the check; false when the version does not wait. */
    async confirm(
      { appId, version }: VersionRef,
      change: Required<Pick<VersionChange, 'reasons' | 'permissionDiff'>>,
      _mover: Mover,
    ): Promise<boolean> {
      const confirmed = await hasChanged(
        db
          .updateTable('versions')
          .set({ awaits_confirmation: flag(false), ...columnsOf(change) })
          .where('app_id', '=', appId)
          .where('version', '=', version)
          .where('state', '=', 'in_review')
          .where('awaits_confirmation', '=', 1),
      );
      if (confirmed) await withholdVersion(db, { appId, version });
      return confirmed;
    },
    /** Records the approval of the first of two persons, which ends their lock and assignment. */
    approveFirst: ({ appId, version }: VersionRef, first: FirstApproval, _mover: Mover): Promise<void> =>
      run(
        db
          .updateTable('versions')
          .set({ ...REVIEW_ENDED, ...firstColumns(first) })
          .where('app_id', '=', appId)
          .where('version', '=', version),
      ),
    /** Ends the first approval of what two persons have decided without a transition. */
    clearFirst: ({ appId, version }: VersionRef, _mover: Mover): Promise<void> =>
      run(
        db
          .updateTable('versions')
          .set(firstColumns(null))
          .where('app_id', '=', appId)
          .where('version', '=', version)
          .where('first_by', 'is not', null),
      ),
    /**
     * Makes a transition if the version is still in its start state, and records it with its notes; false when the version is not.
     */
    move(
      ref: VersionRef,
      { from, to }: Transition,
      change: VersionChange,
      { by, at: movedAt, first }: Mover,
    ): Promise<boolean> {
      return inTransaction(db, async (tx) => {
        const move = tx
          .updateTable('versions')
          .set({ state: to, ...columnsOf(change), ...REVIEW_ENDED })
          .where('app_id', '=', ref.appId)
          .where('version', '=', ref.version)
          .where('state', '=', from)
          // Both values, where a suspension does not matter: the query stays the same.
          .where('withheld', 'in', isAdvance(from, to) ? [0] : [0, 1]);
        if (!(await hasChanged(move))) return false;
        const names = { app_id: ref.appId, version: ref.version };
        const moved = {
          from_state: from,
          to_state: to,
          moved_by: by,
          moved_at: movedAt,
          first_by: first ?? null,
        };
        const note = change.notes ?? '';
        await run(tx.insertInto('version_moves').values({ ...names, ...moved, note }));
        await logMoves(tx, [ref], { from, to }, { by, at: movedAt, note, first });
        return true;
      });
    },
  };
}

export type VersionStore = ReturnType<typeof createVersionStore>;
