import type { Issue, Manifest, PermissionDiff, ReviewLock } from '@svc/contracts';
import { type Expression, type SqlBool, sql } from 'kysely';
import { freeAt, holdsAt } from '../../platform/database/holds.ts';
import { type Database, flag } from '../../platform/database/schema.ts';
import type { VersionRef } from './version-store.ts';

/** What the queue is ordered by: superseded last, then by time; id and number break ties. */
export type QueueKey = VersionRef & { superseded: boolean; submittedAt: string };

/** A version that waits for a person. The lock may have run out. */
export type Waiting = QueueKey & {
  name: string;
  publisher: string;
  reasons: string[];
  issues: Issue[];
  permissionDiff: PermissionDiff | null;
  /** Given where there is no permission diff, as it must be made from the manifest then. */
  manifest: Manifest | null;
  sha256: string;
  /** Bytes of the zip. */
  size: number;
  lock: ReviewLock | null;
  changesRequestedAt: string | null;
  /** By the name on record. */
  assignedTo: string | null;
  /** Place in the whole queue, from 1. */
  position: number;
};

/** What narrows the queue; null does not. */
export type QueueFilter = {
  /** One reason, or the start of some that ends in a colon. */
  reason: string | null;
  publisher: string | null;
  appId: string | null;
  superseded: boolean | null;
  changesRequested: boolean | null;
  /** Submitted before that moment, or not before it. */
  submitted: { before: boolean; moment: string } | null;
  lock: { held: 'me' | 'others' | 'nobody'; me: string; now: string } | null;
  assigned: { to: 'me' | 'others' | 'nobody'; me: string } | null;
};

/** How a waiting version stands. The lock may have run out. */
export type QueueEntry = QueueKey & Pick<Waiting, 'lock' | 'changesRequestedAt' | 'assignedTo'>;

type Condition = Expression<SqlBool>;

/** Written out, not handed over as a parameter: SQLite uses a partial index only when it can see that it covers. */
const IN_REVIEW = sql<SqlBool>`state = 'in_review'`;

/** What the queue is ordered by, in the order of the index `versions_in_review`. */
const ORDER = ['superseded', 'submitted_at', 'app_id', 'version'] as const;
const KEY = sql.join(ORDER.map((name) => sql.ref(name)));

const valuesOf = ({ superseded, submittedAt, appId, version }: QueueKey) =>
  sql`(${flag(superseded)}, ${submittedAt}, ${appId}, ${version})`;

/** Every version that waits for a person. */
export const waiting = (db: Database) => db.selectFrom('versions').where(IN_REVIEW);

/** Whether a row is at a place of the queue or before it. */
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

/** LIKE heeds the case on one database and not on the other; taking the reason out of the text shows whether it is there. */
const hasReason = (reason: string) => {
  const written = reason.endsWith(':') ? `"${reason}` : `"${reason}"`;
  return sql<SqlBool>`replace(reasons_json, ${written}, '') <> reasons_json`;
};

function isLockedBy({ held, me, now }: NonNullable<QueueFilter['lock']>): Condition {
  if (held === 'nobody') return freeAt('versions.locked_until', now);
  return sql<SqlBool>`locked_by ${sql.raw(held === 'me' ? '=' : '<>')} ${me} and ${holdsAt('versions.locked_until', now)}`;
}

const awaitsAnswer = (yes: boolean) =>
  sql<SqlBool>`changes_requested_at is ${sql.raw(yes ? 'not null' : 'null')}`;

function isAssigned({ to, me }: NonNullable<QueueFilter['assigned']>): Condition {
  if (to === 'nobody') return sql<SqlBool>`assigned_to is null`;
  return sql<SqlBool>`assigned_to ${sql.raw(to === 'me' ? '=' : '<>')} ${me}`;
}

function conditionsOf(filter: QueueFilter): Condition[] {
  const { reason, publisher, appId, superseded, changesRequested, submitted, lock, assigned } = filter;
  const before = sql.raw(submitted?.before ? '<' : '>=');
  return [
    ...(reason === null ? [] : [hasReason(reason)]),
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

/** How many versions wait that a filter lets through. */
export async function countMatching(db: Database, filter: QueueFilter): Promise<number> {
  const row = await matching(db, conditionsOf(filter))
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

const nameOf = ({ app_id, version }: { app_id: string; version: string }): string => `${app_id} ${version}`;

/**
 * The places of all that wait from one key to another. What a page leaves out lies between its entries, so these are as
 * many as the queue at worst; but they are short, and come from the index alone.
 */
async function placesBetween(db: Database, first: QueueKey, last: QueueKey): Promise<Map<string, number>> {
  const before = await waiting(db)
    .select(({ fn }) => fn.countAll().as('count'))
    .where(sql<SqlBool>`(${KEY}) < ${valuesOf(first)}`)
    .executeTakeFirstOrThrow();
  const rows = await waiting(db)
    .select(['app_id', 'version'])
    .where(sql<SqlBool>`(${KEY}) >= ${valuesOf(first)}`)
    .where(isUpTo(last))
    .orderBy(KEY)
    .execute();
  return new Map(rows.map((row, index) => [nameOf(row), Number(before.count) + index + 1]));
}

/** A page of rows. The manifest is most of a row, and read only where nothing else says what the version may do. */
const pageOf = (db: Database, filter: QueueFilter, limit: number, after: QueueKey | null) =>
  matching(db, [...conditionsOf(filter), ...(after ? [sql<SqlBool>`(${KEY}) > ${valuesOf(after)}`] : [])])
    .select([...ORDER, 'name', 'publisher', 'reasons_json', 'issues_json', 'permission_diff_json'])
    .select(['sha256', 'size', 'locked_by', 'locked_until', 'changes_requested_at', 'assigned_to'])
    .select(sql<string | null>`case when permission_diff_json is null then manifest_json end`.as('manifest'))
    .orderBy(KEY)
    .limit(limit)
    .execute();

const waitingOf = (row: Awaited<ReturnType<typeof pageOf>>[number], position: number): Waiting => ({
  ...keyOf(row),
  name: row.name,
  publisher: row.publisher,
  reasons: JSON.parse(row.reasons_json),
  issues: JSON.parse(row.issues_json),
  permissionDiff: row.permission_diff_json && JSON.parse(row.permission_diff_json),
  manifest: row.manifest && JSON.parse(row.manifest),
  sha256: row.sha256,
  size: row.size,
  lock: lockOf(row),
  changesRequestedAt: row.changes_requested_at,
  assignedTo: row.assigned_to,
  position,
});

/** Waiting versions that a filter lets through, with their place among all; `end` is null on the last page. */
export async function listMatching(
  db: Database,
  filter: QueueFilter,
  limit: number,
  after: QueueKey | null,
): Promise<{ entries: Waiting[]; end: QueueKey | null }> {
  // One more than asked for tells whether there is a next page.
  const found = await pageOf(db, filter, limit + 1, after);
  const page = found.slice(0, limit);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { entries: [], end: null };
  const end = keyOf(last);
  const places = await placesBetween(db, keyOf(first), end);
  const entries = page.flatMap((row) => {
    const position = places.get(nameOf(row));
    // Decided since the page was read: it has no place any more.
    return position === undefined ? [] : [waitingOf(row, position)];
  });
  return { entries, end: found.length > limit ? end : null };
}
