import { type AuditAction, type EventType, PUBLIC_EVENT_TYPES, type StoreEvent } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type InvalidatingAction, isOfAllApps, tagsOf } from '../../core/catalog/cache-tags.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/**
 * The entries of the audit log that are events, in the order of the index. Each was written in the transaction of what it records. What a
 * CDN purges is one of them, by the type.
 */
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
  'publisher.suspend': 'publisher.suspended',
  'publisher.unsuspend': 'publisher.unsuspended',
  'app.delete': 'app.deleted',
  'access.change': 'store.access-changed',
  'key.rotate': 'store.key-changed',
  'key.lost': 'store.key-changed',
} as const satisfies Partial<Record<AuditAction, EventType>> & Record<InvalidatingAction, EventType>;

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

const eventOf = (
  { id, at, action, app_id, version, publisher, detail_json }: Row,
  apps: readonly string[],
): PlacedEvent => ({
  id: Number(id),
  event: {
    type: TYPES[action as EventAction],
    timestamp: at,
    data: {
      ...{ id: String(id), appId: app_id, version, publisher },
      ...reasonOf(detail_json),
      tags: tagsOf({ action, appId: app_id, version }, apps),
    },
  },
});

const COLUMNS = ['id', 'at', 'action', 'app_id', 'version', 'publisher', 'detail_json'] as const;

/** The ids of the apps that some publishers have now. */
async function appsOf(db: Database, publishers: readonly string[]): Promise<Map<string, string[]>> {
  if (publishers.length === 0) return new Map();
  const apps = db.selectFrom('apps').select(['publisher', 'app_id']).where('publisher', 'in', publishers);
  const rows = await apps.orderBy('app_id').execute();
  const byPublisher = Map.groupBy(rows, ({ publisher }) => publisher);
  return new Map([...byPublisher].map(([slug, own]) => [slug, own.map(({ app_id }) => app_id)]));
}

/** The events of some entries, in their order. */
async function eventsOf(db: Database, query: { execute(): Promise<Row[]> }): Promise<PlacedEvent[]> {
  const rows = await query.execute();
  const concerned = rows.flatMap(({ action, publisher }) => (isOfAllApps(action) && publisher) || []);
  const apps = await appsOf(db, [...new Set(concerned)]);
  return rows.map((row) => eventOf(row, apps.get(row.publisher ?? '') ?? []));
}

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
    return eventsOf(db, theirs.orderBy('id').limit(limit));
  },
  publicAfter: (id: number, limit: number): Promise<PlacedEvent[]> =>
    eventsOf(
      db,
      db
        .selectFrom('audit_log')
        .select(COLUMNS)
        .where(IS_EVENT)
        .where(sql<SqlBool>`${ACTION} in (${sql.join(PUBLIC_ACTIONS)})`)
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit),
    ),
  /** Some events, in no order. */
  async findAll(ids: readonly number[]): Promise<PlacedEvent[]> {
    if (ids.length === 0) return [];
    return eventsOf(db, db.selectFrom('audit_log').select(COLUMNS).where('id', 'in', ids));
  },
});

export type EventStore = ReturnType<typeof createEventStore>;
