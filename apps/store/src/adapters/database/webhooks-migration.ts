import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The actions that are events. A released index keeps its list: a new action needs a new index. */
const EVENTS = sql`(action || '') in ('version.publish', 'version.yank', 'version.unyank', 'app.suspend', 'app.unsuspend',
  'publisher.verify', 'publisher.unverify', 'version.submit', 'version.approve', 'version.reject', 'version.withdraw',
  'version.request-changes', 'server.drift')`;

/**
 * Webhooks and their deliveries. The events are entries of the audit log, which each change writes in its own transaction.
 * @param textOf the type of text that a database orders by its bytes
 */
export const webhooksMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table webhooks (
        id ${text} primary key, publisher ${text} references publishers (slug), url ${text} not null, types_json ${text},
        secret ${text} not null, after_event bigint not null, created_at ${text} not null, made_by ${text},
        disabled_at ${text})`,
      sql`create index webhooks_by_publisher on webhooks (publisher)`,
      sql`create index webhooks_by_maker on webhooks (made_by) where made_by is not null`,
      sql`create index webhooks_by_event on webhooks (after_event) where disabled_at is null`,
      sql`create table webhook_deliveries (
        webhook_id ${text} not null references webhooks (id), event_id bigint not null, state ${text} not null,
        tries integer not null, created_at ${text} not null, next_try_at ${text}, tried_at ${text}, status integer,
        fault ${text}, primary key (webhook_id, event_id))`,
      sql`create index webhook_deliveries_due on webhook_deliveries (next_try_at, webhook_id, event_id)
        where state = 'waiting'`,
      sql`create index webhook_deliveries_by_time on webhook_deliveries (created_at)`,
      sql`create index audit_log_events on audit_log (id) where ${EVENTS}`,
      sql`create index audit_log_events_by_publisher on audit_log (publisher, id) where ${EVENTS}`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
