import { type AuditAction, type EventType, PUBLIC_EVENT_TYPES, type StoreEvent } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { tagsOf } from '../../core/catalog/cache-tags.ts';
import { allOf } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** The entries of the audit log that are events. Each was written in the transaction of what it records. */
const TYPES = {
  'version.publish': 'version.published',
  'version.yank': 'version.yanked',
  'version.unyank': 'version.unyanked',
  'app.suspend': 'app.suspended',
  'app.unsuspend': 'app.unsuspended',
  'publisher.verify': 'publisher.verified',
  'publisher.unverify': 'publisher.unverified',
  'version.submit': 'version.submitted',
  'version.approve': 'version.approved',
  'version.reject': 'version.rejected',
  'version.withdraw': 'version.retracted',
  'version.request-changes': 'version.changes-requested',
  'server.drift': 'server.drift',
} as const satisfies Partial<Record<AuditAction, EventType>>;

type EventAction = keyof typeof TYPES;

/** The action as an expression: SQLite would otherwise prefer the index of all entries by action, and sort what it finds. */
const ACTION = sql`(action || '')`;

/** Literals in the order of the index, which covers a query only when the query contains its condition. */
const IS_EVENT = sql<SqlBool>`${ACTION} in (${sql.join(Object.keys(TYPES).map((action) => sql.lit(action)))})`;

const PUBLIC: ReadonlySet<string> = new Set(PUBLIC_EVENT_TYPES);
const PUBLIC_ACTIONS = Object.entries(TYPES).flatMap(([action, type]) => (PUBLIC.has(type) ? [action] : []));

/** An event with its place in the order of commits. */
export type PlacedEvent = { id: number; event: StoreEvent };

type Row = Pick<
  Selectable<Tables['audit_log']>,
  'id' | 'at' | 'action' | 'app_id' | 'version' | 'publisher' | 'detail_json'
>;

/** The reason or the note of an entry. The names of those who acted are only for the audit log. */
function reasonOf(detailJson: string): { reason?: string } {
  const { reason, note } = JSON.parse(detailJson) as Record<string, unknown>;
  const text = typeof reason === 'string' ? reason : note;
  return typeof text === 'string' && text !== '' ? { reason: text } : {};
}

const eventOf = ({ id, at, action, app_id, version, publisher, detail_json }: Row): PlacedEvent => ({
  id: Number(id),
  event: {
    type: TYPES[action as EventAction],
    timestamp: at,
    data: {
      ...{ id: String(id), appId: app_id, version, publisher },
      ...reasonOf(detail_json),
      tags: tagsOf({ appId: app_id, version }),
    },
  },
});

const COLUMNS = ['id', 'at', 'action', 'app_id', 'version', 'publisher', 'detail_json'] as const;

/** Reads the events that the audit log has. */
export const createEventStore = (db: Database) => ({
  /** The last event of the store; 0 when there is none. */
  async last(): Promise<number> {
    const row = await db
      .selectFrom('audit_log')
      .select('id')
      .where(IS_EVENT)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return Number(row?.id ?? 0);
  },
  /** The events after one, in the order of commits: of a publisher, or of the whole store. */
  async after(id: number, publisher: string | null, limit: number): Promise<PlacedEvent[]> {
    const events = db.selectFrom('audit_log').select(COLUMNS).where(IS_EVENT).where('id', '>', id);
    const theirs = publisher === null ? events : events.where('publisher', '=', publisher);
    return allOf(theirs.orderBy('id').limit(limit), eventOf);
  },
  publicAfter: (id: number, limit: number): Promise<PlacedEvent[]> =>
    allOf(
      db
        .selectFrom('audit_log')
        .select(COLUMNS)
        .where(IS_EVENT)
        .where(sql<SqlBool>`${ACTION} in (${sql.join(PUBLIC_ACTIONS)})`)
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit),
      eventOf,
    ),
  /** Some events, in no order. */
  async findAll(ids: readonly number[]): Promise<PlacedEvent[]> {
    if (ids.length === 0) return [];
    return allOf(db.selectFrom('audit_log').select(COLUMNS).where('id', 'in', ids), eventOf);
  },
});

export type EventStore = ReturnType<typeof createEventStore>;
