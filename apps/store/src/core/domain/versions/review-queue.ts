import type { Issue, Manifest, PermissionDiff, ReviewLock } from '@svc/contracts';
import { type Expression, type SqlBool, sql } from 'kysely';
import { fieldsOf } from '../../../platform/database/fields.ts';
import { countRows, isActiveAt, isInactiveAt } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import type { VersionRef } from './version-record.ts';

/** The sort key of the queue: superseded versions last, then by time; id and version break ties. */
export type QueueKey = VersionRef & { superseded: boolean; submittedAt: string };

/** A version in review. The lock may have expired. */
export type Waiting = QueueKey & {
  name: string;
  publisher: string;
  reasons: string[];
  issues: Issue[];
  permissionDiff: PermissionDiff | null;
  /** Set when there is no permission diff, which must then be computed from the manifest. */
  manifest: Manifest | null;
  sha256: string;
  /** Bytes of the zip. */
  size: number;
  lock: ReviewLock | null;
  changesRequestedAt: string | null;
  /** The recorded name of the moderator. */
  assignedTo: string | null;
  /** Place in the whole queue, from 1. */
  position: number;
};

/** The filters of the queue; null does not filter. */
export type QueueFilter = {
  /** A reason, or a prefix of reasons that ends in a colon. */
  reason: string | null;
  /** Whether `reason` is the only one. */
  soleReason: boolean | null;
  publisher: string | null;
  appId: string | null;
  superseded: boolean | null;
  changesRequested: boolean | null;
  submitted: { before: boolean; moment: string } | null;
  lock: { held: 'me' | 'others' | 'nobody'; me: string; now: string } | null;
  assigned: { to: 'me' | 'others' | 'nobody'; me: string } | null;
};

/** The review state of a version in review. The lock may have expired. */
export type QueueEntry = QueueKey & Pick<Waiting, 'lock' | 'changesRequestedAt' | 'assignedTo'>;

type Condition = Expression<SqlBool>;

/** A literal and not a parameter: SQLite uses a partial index only when the query contains its condition. */
const IN_REVIEW = sql<SqlBool>`state = 'in_review' and withheld = 0`;

/** The columns of the sort key, in the order of the index `versions_in_review`. */
const ORDER = ['superseded', 'submitted_at', 'app_id', 'version'] as const;
const KEY = sql.join(ORDER.map((name) => sql.ref(name)));

const valuesOf = ({ superseded, submittedAt, appId, version }: QueueKey) =>
  sql`(${flag(superseded)}, ${submittedAt}, ${appId}, ${version})`;

/** Selects every version in review that no suspension keeps out of the queue. */
export const waiting = (db: Database) => db.selectFrom('versions').where(IN_REVIEW);

/** Matches rows at a place of the queue or before it. */
export const isUpTo = (key: QueueKey) => sql<SqlBool>`(${KEY}) <= ${valuesOf(key)}`;

export const keyOf = (row: {
  superseded: number;
  submitted_at: string;
  app_id: string;
  version: string;
}): QueueKey => ({
  superseded: row.superseded === 1,
  submittedAt: row.submitted_at,
  appId: row.app_id,
  version: row.version,
});

export const lockOf = (row: { locked_by: string | null; locked_until: string | null }): ReviewLock | null =>
  row.locked_by === null || row.locked_until === null ? null : { by: row.locked_by, until: row.locked_until };

/** Uses `replace`, as LIKE is case-sensitive on only one of the databases: the text changes when it contains the reason. */
const hasReason = (reason: string) => {
  const needle = reason.endsWith(':') ? `"${reason}` : `"${reason}"`;
  return sql<SqlBool>`replace(reasons_json, ${needle}, '') <> reasons_json`;
};

/** Whether a version has exactly one reason. */
const hasSoleReason = (reason: string, yes: boolean) =>
  sql<SqlBool>`reasons_json ${sql.raw(yes ? '=' : '<>')} ${JSON.stringify([reason])}`;

function isLockedBy({ held, me, now }: NonNullable<QueueFilter['lock']>): Condition {
  if (held === 'nobody') return isInactiveAt('versions.locked_until', now);
  return sql<SqlBool>`locked_by ${sql.raw(held === 'me' ? '=' : '<>')} ${me} and ${isActiveAt('versions.locked_until', now)}`;
}

const awaitsAnswer = (yes: boolean) =>
  sql<SqlBool>`changes_requested_at is ${sql.raw(yes ? 'not null' : 'null')}`;

function isAssigned({ to, me }: NonNullable<QueueFilter['assigned']>): Condition {
  if (to === 'nobody') return sql<SqlBool>`assigned_to is null`;
  return sql<SqlBool>`assigned_to ${sql.raw(to === 'me' ? '=' : '<>')} ${me}`;
}

function conditionsOf(filter: QueueFilter): Condition[] {
  const { reason, soleReason, publisher, appId, superseded, changesRequested, submitted, lock, assigned } =
    filter;
  const before = sql.raw(submitted?.before ? '<' : '>=');
  return [
    ...(reason === null ? [] : [hasReason(reason)]),
    ...(reason === null || soleReason === null ? [] : [hasSoleReason(reason, soleReason)]),
    ...(publisher === null ? [] : [sql<SqlBool>`publisher = ${publisher}`]),
    ...(appId === null ? [] : [sql<SqlBool>`app_id = ${appId}`]),
    ...(superseded === null ? [] : [sql<SqlBool>`superseded = ${flag(superseded)}`]),
    ...(changesRequested === null ? [] : [awaitsAnswer(changesRequested)]),
    ...(submitted === null ? [] : [sql<SqlBool>`submitted_at ${before} ${submitted.moment}`]),
    ...(lock === null ? [] : [isLockedBy(lock)]),
    ...(assigned === null ? [] : [isAssigned(assigned)]),
  ];
}

const matching = (db: Database, conditions: Condition[]) =>
  waiting(db).where((where) => where.and(conditions));

export const countMatching = (db: Database, filter: QueueFilter): Promise<number> =>
  countRows(matching(db, conditionsOf(filter)));

const nameOf = ({ app_id, version }: { app_id: string; version: string }): string => `${app_id} ${version}`;

/**
 * The places of all versions in review from one key to another. Between the entries of a page are those that do not match the filter, in the
 * worst case the whole queue; but the rows are short, and come from the index alone.
 */
async function placesBetween(db: Database, first: QueueKey, last: QueueKey): Promise<Map<string, number>> {
  const before = await countRows(waiting(db).where(sql<SqlBool>`(${KEY}) < ${valuesOf(first)}`));
  const rows = await waiting(db)
    .select(['app_id', 'version'])
    .where(sql<SqlBool>`(${KEY}) >= ${valuesOf(first)}`)
    .where(isUpTo(last))
    .orderBy(KEY)
    .execute();
  return new Map(rows.map((row, index) => [nameOf(row), before + index + 1]));
}

/** Reads a page of rows. The manifest is most of a row, and is read only when there is no permission diff. */
const pageOf = (db: Database, filter: QueueFilter, limit: number, after: QueueKey | null) =>
  matching(db, [...conditionsOf(filter), ...(after ? [sql<SqlBool>`(${KEY}) > ${valuesOf(after)}`] : [])])
    .select([...ORDER, 'name', 'publisher', 'reasons_json', 'issues_json', 'permission_diff_json'])
    .select(['sha256', 'size', 'locked_by', 'locked_until', 'changes_requested_at', 'assigned_to'])
    .select(sql<string | null>`case when permission_diff_json is null then manifest_json end`.as('manifest'))
    .orderBy(KEY)
    .limit(limit)
    .execute();

const waitingOf = (row: Awaited<ReturnType<typeof pageOf>>[number], position: number): Waiting => ({
  ...(fieldsOf(row) as object as Omit<Waiting, 'superseded' | 'manifest' | 'lock' | 'position'>),
  superseded: row.superseded === 1,
  manifest: row.manifest && JSON.parse(row.manifest),
  lock: lockOf(row),
  position,
});

/** Lists the versions in review that match a filter, with their place among all; `end` is null on the last page. */
export async function listMatching(
  db: Database,
  filter: QueueFilter,
  limit: number,
  after: QueueKey | null,
): Promise<{ entries: Waiting[]; end: QueueKey | null }> {
  // One additional row shows whether there is a next page.
  const rows = await pageOf(db, filter, limit + 1, after);
  const page = rows.slice(0, limit);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { entries: [], end: null };
  const end = keyOf(last);
  const places = await placesBetween(db, keyOf(first), end);
  const entries = page.flatMap((row) => {
    const position = places.get(nameOf(row));
    // A version that was decided since the page was read has no place any more.
    return position === undefined ? [] : [waitingOf(row, position)];
  });
  return { entries, end: rows.length > limit ? end : null };
}
