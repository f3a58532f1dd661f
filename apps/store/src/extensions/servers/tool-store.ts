import type { ServedTool } from '@svc/contracts';
import type { ToolDrift } from '@svc/permissions';
import { type Selectable, sql } from 'kysely';
import type { StoredTools } from '../../core/domain/tools/served.ts';
import { logTools } from '../../core/domain/trust/trust-log.ts';
import type { Mover } from '../../core/domain/versions/changes.ts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { inTransaction } from '../../platform/database/in-transaction.ts';
import { allOf, firstOf, hasChanged, isInactiveAt, isInserted } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** The result of the checks of a server so far. Empty before the first. */
export type CheckState = {
  /** The version whose server was checked. */
  version?: string;
  checkedAt?: string;
  outcome?: 'listed' | 'needs-sign-in' | 'not-answering';
  /** Why it did not answer, as a sentence of ours. */
  fault?: string;
  failingSince?: string;
  /** Tools that the manifest declares, and how many of them are as in the record. */
  declared?: number;
  asPublished?: number;
  /** All differences to the record, in so far as they were kept, and since when one of them widens. */
  drift?: ToolDrift[];
  driftSince?: string;
  /** What the server lists, while a difference waits for a decision. */
  served?: ServedTool[];
  /** When the publisher was last notified. */
  notifiedAt?: string;
};

/** The account with which the store lists the server of an app: its encrypted token, and the host that it is for. */
type StoredReviewerAccount = { host: string; sealed: string; by: string; at: string };

export type ServerCheck = { appId: string; nextAt: string; state: CheckState };

/** A check that is due, and the publisher of its app. */
export type DueCheck = ServerCheck & { publisher: string };

/** Matches the state of a server that did not answer at the last check. */
const FAILING = '%"outcome":"not-answering"%';

type Row = { app_id: string; next_at: string; state_json: string };

const checkOf = ({ app_id, next_at, state_json }: Row): ServerCheck => ({
  appId: app_id,
  nextAt: next_at,
  state: JSON.parse(state_json),
});

const rowOf = ({ appId, version }: VersionRef, { source, recordedAt, reviewedAt, tools }: StoredTools) => ({
  app_id: appId,
  version,
  source,
  recorded_at: recordedAt,
  tools_json: JSON.stringify(tools),
  reviewed_at: reviewedAt ?? null,
});

const storedOf = ({
  source,
  recorded_at: recordedAt,
  tools_json,
  reviewed_at,
}: Selectable<Tables['tool_records']>): StoredTools => ({
  source: source as StoredTools['source'],
  recordedAt,
  tools: JSON.parse(tools_json),
  ...(reviewed_at !== null && { reviewedAt: reviewed_at }),
});

const recordAt = (db: Database, { appId, version }: VersionRef) =>
  db.selectFrom('tool_records').selectAll().where('app_id', '=', appId).where('version', '=', version);

export const createToolStore = (db: Database) => ({
  /** The tools that the server of a version had; null when they have not been listed. */
  record: (ref: VersionRef): Promise<StoredTools | null> => firstOf(recordAt(db, ref), storedOf),
  /** The record of an app that a moderator saw last, of any version; null when they saw none. */
  lastReviewed: (appId: string): Promise<StoredTools | null> =>
    firstOf(
      db
        .selectFrom('tool_records')
        .selectAll()
        .where('app_id', '=', appId)
        .where('reviewed_at', 'is not', null)
        .orderBy('reviewed_at', 'desc')
        .limit(1),
      storedOf,
    ),
  /** Records the tools of a version; false when they are recorded already. */
  addRecord: (ref: VersionRef, tools: StoredTools, _mover: Mover): Promise<boolean> =>
    inTransaction(db, async (tx) => {
      const isNew = await isInserted(tx.insertInto('tool_records').values(rowOf(ref, tools)));
      // What a publisher sent is accepted when a moderator approves the version.
      if (isNew && tools.source === 'store') await logTools(tx, ref, tools);
      return isNew;
    }),
  /** Replaces the record of a version, after a moderator has accepted what its server lists now. */
  async replaceRecord(ref: VersionRef, tools: StoredTools, _mover: Mover): Promise<void> {
    const row = rowOf(ref, tools);
    await inTransaction(db, async (tx) => {
      await tx
        .insertInto('tool_records')
        .values(row)
        .onConflict((conflict) => conflict.columns(['app_id', 'version']).doUpdateSet(row))
        .execute();
      await logTools(tx, ref, tools);
    });
  },
  /**
   * Marks the record of an approved version as seen by the moderator.
   * @param seen when the tools that they saw were recorded; null when they saw none; undefined for those that are recorded now
   */
  async approve(
    { appId, version }: VersionRef,
    seen: string | null | undefined,
    { at }: Mover,
  ): Promise<void> {
    if (seen === null) return;
    await inTransaction(db, async (tx) => {
      const record = tx.updateTable('tool_records').set({ reviewed_at: at }).where('app_id', '=', appId);
      const theirs = record.where('version', '=', version);
      const marked = await firstOf(
        (seen === undefined ? theirs : theirs.where('recorded_at', '=', seen)).returningAll(),
        storedOf,
      );
      if (marked?.source === 'publisher') await logTools(tx, { appId, version }, marked);
    });
  },
  /** Deletes what a publisher sent of a version, unless a moderator saw it: the store lists the server itself. */
  async forgetUnseen({ appId, version }: VersionRef, _mover: Mover): Promise<void> {
    await db
      .deleteFrom('tool_records')
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('source', '=', 'publisher')
      .where('reviewed_at', 'is', null)
      .execute();
  },
  /** The reviewer account of an app; null when none is deposited. */
  reviewerAccount: (appId: string): Promise<StoredReviewerAccount | null> =>
    firstOf(
      db
        .selectFrom('reviewer_accounts')
        .select(['host', 'sealed', 'deposited_by as by', 'deposited_at as at'])
        .where('app_id', '=', appId),
      (row) => row,
    ),
  /** Sets the reviewer account of an app. */
  async depositReviewerAccount(
    appId: string,
    { host, sealed, by: deposited_by, at: deposited_at }: StoredReviewerAccount,
  ): Promise<void> {
    const row = { host, sealed, deposited_by, deposited_at };
    await db
      .insertInto('reviewer_accounts')
      .values({ app_id: appId, ...row })
      .onConflict((conflict) => conflict.column('app_id').doUpdateSet(row))
      .execute();
  },
  /** Deletes the reviewer account of an app. Returns false when there is none. */
  removeReviewerAccount: (appId: string): Promise<boolean> =>
    hasChanged(db.deleteFrom('reviewer_accounts').where('app_id', '=', appId)),
  /** Plans the next check of an app's server. */
  async planCheck(appId: string, at: string): Promise<void> {
    await db
      .insertInto('server_checks')
      .values({ app_id: appId, next_at: at, drift_since: null, state_json: '{}' })
      .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ next_at: at }))
      .execute();
  },
  check: (appId: string): Promise<ServerCheck | null> =>
    firstOf(
      db.selectFrom('server_checks').select(['app_id', 'next_at', 'state_json']).where('app_id', '=', appId),
      checkOf,
    ),
  /**
   * The checks that are due, the longest waiting first.
   * @param busy publishers whose checks wait, and whether those of servers that did not answer last time do
   */
  dueChecks: (
    now: string,
    limit: number,
    busy: { publishers: readonly string[]; failing: boolean },
  ): Promise<DueCheck[]> =>
    allOf(
      db
        .selectFrom('server_checks')
        .innerJoin('apps', 'apps.app_id', 'server_checks.app_id')
        .select(['server_checks.app_id', 'next_at', 'state_json', 'publisher'])
        .where(isInactiveAt('server_checks.next_at', now))
        .where('publisher', 'not in', ['', ...busy.publishers])
        .where('state_json', 'not like', busy.failing ? FAILING : '')
        .orderBy('next_at')
        .orderBy('server_checks.app_id')
        .limit(limit),
      ({ publisher, ...row }) => ({ ...checkOf(row), publisher }),
    ),
  /**
   * Claims a check; false when another process has.
   * @param until when it is due again, if it is not finished
   */
  claimCheck: ({ appId, nextAt }: ServerCheck, until: string): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('server_checks')
        .set({ next_at: until })
        .where('app_id', '=', appId)
        .where('next_at', '=', nextAt),
    ),
  /** Records the result of a check. A check that was planned again in the meantime stays planned. */
  async finishCheck({ appId, nextAt, state }: ServerCheck, claimedUntil: string): Promise<void> {
    const drift_since = state.driftSince ?? null;
    await db
      .updateTable('server_checks')
      .set({ state_json: JSON.stringify(state), drift_since })
      .where('app_id', '=', appId)
      .execute();
    await db
      .updateTable('server_checks')
      .set({ next_at: nextAt })
      .where('app_id', '=', appId)
      .where('next_at', '=', claimedUntil)
      .execute();
  },
  /** The apps whose servers changed so that a person must decide: one of each publisher after the other, the longest waiting first. */
  withDrift: (limit: number): Promise<ServerCheck[]> => {
    const turns = db
      .selectFrom('server_checks')
      .innerJoin('apps', 'apps.app_id', 'server_checks.app_id')
      .select(['server_checks.app_id', 'next_at', 'state_json', 'drift_since'])
      .select(
        sql<number>`row_number() over (partition by publisher order by drift_since, server_checks.app_id)`.as(
          'turn',
        ),
      )
      .where('drift_since', 'is not', null)
      .as('open');
    return allOf(
      db
        .selectFrom(turns)
        .select(['app_id', 'next_at', 'state_json'])
        .orderBy('turn')
        .orderBy('drift_since')
        .orderBy('app_id')
        .limit(limit),
      checkOf,
    );
  },
});

export type ToolStore = ReturnType<typeof createToolStore>;
